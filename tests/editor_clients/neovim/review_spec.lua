-- :Memory review — a plan in a tab, its changes accepted and rejected, saved, kept and discarded. See spec.lua.
local user = dofile(vim.fs.joinpath(vim.fs.dirname(arg[0]), 'user.lua'))
local spec = user.spec
local ok, equal, wait, write = spec.ok, spec.equal, spec.wait, spec.write
local directory = user.begin()
local before = user.files(directory)
local log = vim.fs.joinpath(spec.work, 'chat.txt')

local chats = 0
local function propose(...)
  chats = chats + 1 -- another chat each time: a log that is read again takes the place of its plan
  write(log, user.transcript({ 'Hello for the ' .. chats .. '. time.', 'Thank you.', ... }))
  user.memory('consolidate ' .. log)
end

local function propose_three()
  local update = 'The quay is open until ten from now on.'
  propose('Always write dates as day, month, year.', 'Never paint the ramp green.', update)
  user.reviews('read by offline', 'add always-write-dates', 'add never-paint-ramp-green', 'update quay')
end

-- The signs before the changes, in their order.
local function marks()
  local found = {}
  for _, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
    table.insert(found, line:match('^(✓) ') or line:match('^(✗) '))
  end
  return table.concat(found)
end

---@return string text, integer window
local function side(name)
  for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local buffer = vim.api.nvim_win_get_buf(window)
    if vim.endswith(vim.api.nvim_buf_get_name(buffer), '/' .. name) then
      return user.lines(buffer), window
    end
  end
  return ok(false, 'there is a window for ' .. name)
end

local function closed(name)
  wait(name, function()
    return vim.fn.tabpagenr('$') == 1
  end)
end

-- ---- what is shown

user.memory('review')
user.hears('No plan waits. :Memory consolidate makes one')
propose_three()
user.sees('message 5: “Always write dates as day, month, year.”', 'MEMORY.md: +- [always-write-dates')
equal({ vim.bo.buftype, vim.bo.modifiable }, { 'acwrite', false }, 'in a buffer that only keys change')
equal(marks(), '✓✓✓', 'all changes are accepted until the user says otherwise')
equal(#vim.api.nvim_tabpage_list_wins(0), 3, 'the list stands above a file before and after')
equal(side('before'), '', 'a memory that is new is nothing before')
ok(side('after'):find('\nAlways write dates', 1, true), 'and has its text after')
ok(vim.wo[select(2, side('after'))].diff and vim.wo[select(2, side('before'))].diff, 'in diff mode')
equal(user.files(directory), before, 'nothing is written yet')

-- ---- accept and reject

user.press('x')
equal(marks(), '✗✓✓', 'x rejects the change under the cursor')
ok(side('after'):find('Never paint', 1, true), 'and shows the next one')
user.press('<Tab>')
ok(side('before'):find('until nine', 1, true) and side('after'):find('until ten', 1, true), 'Tab goes on to the last')
user.press('x<S-Tab><S-Tab>a')
equal(marks(), '✓✓✗', 'a accepts what was rejected')
user.press('X')
equal(marks(), '✗✗✗', 'X rejects all')
user.press('s')
user.hears('Nothing is accepted', vim.log.levels.WARN)
user.press('A<S-Tab><S-Tab>x')
equal(marks(), '✗✓✓', 'A accepts all again')
vim.cmd.write(vim.fs.joinpath(spec.work, 'copy.md'))
user.hears('Nothing is written', vim.log.levels.WARN)
equal(user.files(directory), before, 'what is written elsewhere is not saved as memories')
vim.api.nvim_set_current_win(select(2, side('after')))
user.press('x')
vim.cmd.wincmd('t')
equal(marks(), '✗✗✓', 'the keys work beside the list too')

-- ---- :q keeps the plan

vim.api.nvim_set_current_win(select(2, side('before')))
vim.cmd.quit()
user.hears('Nothing is written yet. :Memory review comes back to it.')
closed('closing one of its windows closes the tab')
user.memory('review')
user.reviews('update quay')
equal(marks(), '✗✗✓', 'what was decided still is')
user.press('q')
closed('q closes it too')
user.memory('review')
user.reviews('update quay')
vim.cmd.enew()
wait('another file in its place leaves nothing of it but that file', function()
  return #vim.api.nvim_tabpage_list_wins(0) == 1
end)
vim.cmd.tabclose()
user.memory('review')
user.reviews('update quay')
user.memory('review')
vim.wait(300)
equal(vim.fn.tabpagenr('$'), 2, 'a plan that is shown is not shown twice')

-- ---- over unsaved text nothing is written

vim.cmd.tabprevious()
local quay = spec.open_memory(vim.fs.joinpath(directory, 'quay.md'))
vim.api.nvim_buf_set_lines(quay, -1, -1, false, { 'Unsaved.' })
vim.cmd.tabnext()
user.press('xxs') -- the last change is all that is left
user.hears('Unsaved text in quay.md: write it, or take it back, then press s.', vim.log.levels.WARN)
equal({ vim.fn.tabpagenr('$'), user.files(directory) }, { 2, before }, 'the plan stays')
vim.api.nvim_buf_call(quay, function()
  vim.cmd('silent undo')
end)

-- ---- one save, one undo

vim.cmd.write() -- as one is used to; s does the same
user.hears('Saved: 1 updated. :Memory undo takes it back.')
closed('the tab goes when the plan is saved')
local after = user.files(directory)
equal(vim.tbl_keys(after), vim.tbl_keys(before), 'what was rejected is not there')
ok(after['quay.md']:find('until ten', 1, true), 'what was accepted is')
equal(user.lines(quay) .. '\n', after['quay.md'], 'also in the open buffer')
user.memory('undo')
user.hears('Undone: ')
equal(user.files(directory), before, 'one undo, and every byte is as before')
equal(user.lines(quay) .. '\n', before['quay.md'], 'also in the open buffer')
vim.cmd('silent! %bwipeout!')

-- ---- several plans, one of which is saved, one discarded, one out of date

local sentences = { 'Never sail on Mondays.', 'Always greet the pilot.', 'The quay is open until noon from now on.' }
for _, sentence in ipairs(sentences) do
  propose(sentence)
  user.reviews(sentence)
  user.press('q')
  closed('it is left for later')
end
user.choices = { 'greet' }
user.memory('review')
user.reviews('Always greet the pilot.')
equal(#user.offered[#user.offered].items, 3, 'all that wait are offered')
ok(user.offered[#user.offered].items[1]:find('chat.txt', 1, true), 'with the logs that they come from')
user.choices = { 'Discard them' }
user.press('D')
user.hears('Discarded: nothing was saved.')
closed('the tab goes when the plan is discarded')
equal(user.files(directory), before, 'nothing was written')

user.choices = { 'quay' }
user.memory('review')
user.reviews('until noon')
write(vim.fs.joinpath(directory, 'quay.md'), spec.memory('quay', 'The quay is open until eleven.'))
local changed = user.files(directory)
user.press('s')
user.hears('Nothing is saved. D discards the plan', vim.log.levels.ERROR)
equal(user.files(directory), changed, 'a plan that is out of date changes nothing')
user.choices = { 'Discard them' }
user.press('D')
user.hears('Discarded')
closed('and can be discarded')

user.memory('review')
user.reviews('Never sail on Mondays.')
local client = vim.lsp.get_clients({ name = 'memory_ls' })[1]
local function ask(command, argument)
  local params = { command = 'memoryLs.' .. command, arguments = { argument } }
  return assert(client:request_sync('workspace/executeCommand', params, 20000)).result
end
ask('discardPlan', { planId = ask('plans', vim.empty_dict())[1].planId })
user.press('s')
user.hears('The plan does not wait any more', vim.log.levels.WARN)
closed('a plan that another has discarded goes from the screen')


-- ---- what can't be saved of a plan waits on

propose('Always hail the lock.', 'The quay is open until dawn from now on.')
user.reviews('add always-hail-lock', 'update quay')
write(vim.fs.joinpath(directory, 'quay.md'), spec.memory('quay', 'The quay is open until one.'))
user.press('s')
user.hears('Saved in part: 1 added.', vim.log.levels.WARN)
user.hears('1 change was left out and waits still.', vim.log.levels.WARN)

user.forget()
spec.finish()
