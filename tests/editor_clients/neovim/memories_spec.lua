-- :Memory list, show, new, delete, history and undo. See spec.lua for how to run it.
local user = dofile(vim.fs.joinpath(vim.fs.dirname(arg[0]), 'user.lua'))
local spec = user.spec
local ok, equal, wait, write = spec.ok, spec.equal, spec.wait, spec.write
local directory = user.begin()
write(vim.fs.joinpath(directory, 'feedback_old-ramp.md'), {
  '---',
  'name: The old ramp',
  'description: 旧坡道',
  'metadata:',
  '  type: feedback',
  '  updatedAt: 2020-01-02',
  '---',
  '',
  'Never use the old ramp.',
})
local before = user.files(directory)

local function current()
  return vim.fs.basename(vim.api.nvim_buf_get_name(0))
end

local function opens(file)
  wait(('%s is opened'):format(file), function()
    return current() == file and vim.bo.buftype == ''
  end, function()
    return { current = current(), said = user.said, offered = user.offered }
  end)
end

local function floats()
  return vim.api.nvim_win_get_config(0).relative ~= ''
end

-- ---- list

user.choices = { '旧坡道' }
user.memory('list')
opens('feedback_old-ramp.md')
equal(#user.offered[1].items, 3, 'all memories are offered')
ok(table.concat(user.offered[1].items, '\n'):match('The old ramp +feedback +stale +旧坡道'), 'with type, age and description')

vim.cmd('botright copen')
user.choices = { 'tide' }
user.memory('list')
opens('tide.md')
equal(vim.fn.getqflist({ winid = 0 }).winid ~= 0 and #vim.api.nvim_list_wins(), 2, 'beside the quickfix list, not in it')
vim.cmd.cclose()
vim.cmd('botright copen | only')
user.choices = { 'tide' }
user.memory('list')
opens('tide.md')
vim.cmd.only()

-- ---- show

vim.cmd.enew()
user.memory('show quay')
user.sees('## quay (project)', 'The quay is open until nine.')
ok(floats() and vim.bo.filetype == 'markdown' and not vim.bo.modifiable, 'in a floating window, as markdown')
for _, key in ipairs({ 'q', '<Esc>' }) do
  user.press(key)
  ok(not floats(), key .. ' closes it')
  user.memory('show the OLD ramp')
  user.sees('Never use the old ramp.')
end
for _, key in ipairs({ 'gf', '<CR>' }) do
  user.press(key)
  opens('feedback_old-ramp.md')
  user.memory('show old-ramp')
  user.sees('Never use the old ramp.')
end
vim.cmd.wincmd('p')
wait('a window that is left closes', function()
  return #vim.api.nvim_list_wins() == 1
end)
user.choices = { 'tide' }
user.memory('show')
user.sees('See [[quay]].')
user.press('q')
user.memory('show nobody')
user.hears('Memory not found: nobody. :Memory list tells all memories.', vim.log.levels.ERROR)
user.forget()

-- ---- a name that means several

write(vim.fs.joinpath(directory, 'user_fare.md'), spec.memory('The fare of a friend'))
write(vim.fs.joinpath(directory, 'project_fare.md'), spec.memory('The fare of all'))
wait('the name means two memories, and the user says which', function()
  user.choices = { 'of all' }
  user.memory('show fare')
  vim.wait(500, floats)
  return floats()
end)
user.sees('## The fare of all')
equal(user.offered[#user.offered].prompt, 'Which memory is fare?', 'they are asked by name')
user.press('q')
for _, name in ipairs({ 'user_fare.md', 'project_fare.md' }) do
  os.remove(vim.fs.joinpath(directory, name))
end
user.choices = {}
wait('the server has seen that they are gone', function()
  user.memory('list')
  vim.wait(500)
  return #user.offered[#user.offered].items == 3
end)
user.forget()

-- ---- new

user.memory('new quay')
user.hears('There is a memory quay already', vim.log.levels.WARN)
user.choices, user.inputs = { 'reference' }, { 'Which letter is on which ramp' }
user.memory('new 坡道 letters')
opens('坡道-letters.md')
user.sees('name: 坡道 letters', 'description: Which letter is on which ramp', 'type: reference')
user.hears(':Memory undo')
ok(user.files(directory)['MEMORY.md']:find('坡道-letters.md', 1, true), 'the index lists it')
user.memory('undo')
user.hears('Undone: ')
equal({ current() == '坡道-letters.md', user.files(directory) }, { false, before }, 'undo takes it away, and its buffer')
user.choices, user.inputs = { 'user' }, { 'x', 'd' }
user.memory('new')
opens('x.md')
user.memory('undo')
user.hears('Undone: ')
user.memory('new a\127b') -- before any question
user.hears("can't be the name of a memory", vim.log.levels.ERROR)
user.memory('new') -- no answer to the question for a name
user.forget()
equal(user.files(directory), before, 'nothing is left')

-- ---- delete

user.memory('delete quay')
wait('the user is asked', function()
  return #user.offered == 1
end)
local question = 'Delete quay (about quay)? Links to `quay` go dead in tide.md.'
equal(user.offered[1].prompt, question, 'and told what that does')
vim.wait(200)
equal(user.files(directory), before, 'and no answer deletes nothing')
local quay = spec.open_memory(vim.fs.joinpath(directory, 'quay.md'))
vim.api.nvim_buf_set_lines(quay, -1, -1, false, { 'Unsaved.' })
user.choices = { 'Delete it' }
user.memory('delete quay')
user.hears('has unsaved text in the editor', vim.log.levels.ERROR)
vim.cmd('silent undo')
user.choices = { 'quay', 'Delete it' }
user.memory('delete')
user.hears('Deleted quay. :Memory undo brings it back.')
equal(user.files(directory)['quay.md'], nil, 'the file is gone')
ok(not vim.api.nvim_buf_is_loaded(quay), 'and so is its buffer')
user.forget()

-- ---- history

write(vim.fs.joinpath(directory, 'tide.md'), spec.memory('tide', 'Another program was here.'))
local function history(what)
  wait('the history tells of it: ' .. what, function()
    user.choices = { what }
    user.memory('history')
    vim.wait(500, function()
      return vim.bo.filetype == 'diff'
    end)
    return vim.bo.filetype == 'diff'
  end, function()
    return user.offered[#user.offered]
  end)
end

history('Update tide')
user.sees('+++ b/tide.md', '-See [[quay]].', '+Another program was here.')
user.press('u')
user.hears('Undone: ')
history('Delete quay')
user.sees('--- a/quay.md', '+++ /dev/null', '-The quay is open until nine.', '+++ b/MEMORY.md')
user.press('u')
user.hears('Undone: Delete quay. :Memory history')
equal(user.files(directory), before, 'both are undone, to the byte')
wait('the window closes', function()
  return vim.bo.filetype ~= 'diff'
end)
history('Delete quay (undone)')
ok(not vim.wo.winbar:find('u: undo', 1, true), 'what is undone already is only shown')
user.press('q')
equal(#vim.api.nvim_list_wins(), 1, 'q closes the window')

spec.finish()
