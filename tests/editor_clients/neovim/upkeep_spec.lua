-- :Memory check, status, inject, reindex, rebuild, organise, stale, clear, init, provider, restart and log. See spec.lua for how to run it.
local user = dofile(vim.fs.joinpath(vim.fs.dirname(arg[0]), 'user.lua'))
local spec = user.spec
local ok, equal, wait, write = spec.ok, spec.equal, spec.wait, spec.write
local directory = user.begin()
local clean = user.files(directory)
vim.lsp.config('memory_ls', { settings = { memoryLs = { command = { 'cat' } } } })

local function closed(name)
  wait(name, function()
    return vim.fn.tabpagenr('$') == 1
  end)
end

-- ---- check

vim.cmd.enew()
user.memory('check')
user.hears('2 memories checked: all is well.')
write(vim.fs.joinpath(directory, 'crane.md'), spec.memory('crane', '😀 潮位 [[nowhere]]'))
wait('what is wrong is found', function()
  user.memory('check')
  vim.wait(500, function()
    return vim.bo.buftype == 'quickfix'
  end)
  return vim.bo.buftype == 'quickfix'
end)
local list = vim.fn.getqflist({ title = 1, items = 1 })
equal({ list.title, #list.items }, { 'Memory check', 2 }, 'the quickfix list holds all findings')
local dead = list.items[2]
equal({ dead.lnum, dead.col, dead.type }, { 7, 15, 'W' }, 'at their places, whatever stands before them')
ok(dead.text:find('[link-dead]', 1, true), 'with what is wrong, and its code')
equal(vim.fs.basename(vim.fn.bufname(dead.bufnr)), 'crane.md', 'in a file that was not open')
vim.cmd.cclose()
user.memory('check ' .. vim.fs.joinpath(spec.work, 'project'))
user.hears('This is none of the memory directories here.', vim.log.levels.ERROR)

-- ---- status and inject

user.memory('status')
user.sees('memory-ls ', 'provider: offline', vim.fn.fnamemodify(directory, ':~'), '3 memories', 'index: ', '2 warnings')
user.press('q')
user.memory('inject')
user.sees('# Persistent Memory', 'quay', 'about quay')
user.press('q')
user.memory('inject index')
user.sees('<memory>', '潮位')
user.press('q')
user.memory('inject backwards')
user.hears('form must be one of', vim.log.levels.ERROR)

-- ---- the index

user.memory('reindex')
user.reviews('change MEMORY.md')
equal(user.files(directory)['MEMORY.md'], clean['MEMORY.md'], 'what is to be changed is shown first')
user.press('s')
user.hears('Saved. :Memory undo takes it back.')
closed('and saved by the user')
ok(user.files(directory)['MEMORY.md']:find('crane.md', 1, true), 'the index lists what was missing')
user.memory('reindex')
user.hears('The index is complete: nothing is to be changed.')
user.memory('organise')
wait('the index is put in order, or is', function()
  return vim.bo.filetype == 'memory-ls-review' or user.said[#user.said][1]:find('in order', 1, true)
end)
user.press('q')

user.memory('rebuild')
wait('a new index is another, or would be the same', function()
  return vim.bo.filetype == 'memory-ls-review' or user.said[#user.said][1]:find('A new index would be the same', 1, true)
end)
user.press('q')

-- ---- stale

user.memory('stale soon')
user.hears('How many days?', vim.log.levels.ERROR)
user.memory('stale')
user.hears('No memory is so old that it would be marked.')
local old = spec.memory('old')
table.insert(old, 5, 'metadata:\n  updatedAt: 2020-01-02')
write(vim.fs.joinpath(directory, 'old.md'), old)
wait('what is old is found', function()
  user.memory('stale 90')
  vim.wait(500, function()
    return vim.bo.filetype == 'memory-ls-review'
  end)
  return vim.bo.filetype == 'memory-ls-review'
end)
user.sees('old.md')
user.press('s')
user.hears('Saved')
ok(user.files(directory)['old.md']:find('status: stale', 1, true), 'and is marked')

-- ---- clear

user.memory('clear')
vim.wait(200)
equal(vim.tbl_count(user.files(directory)), 5, 'without a yes, nothing is deleted')
local before = user.files(directory)
user.choices = { 'Delete them all' }
user.memory('clear')
user.hears('All memories are deleted. :Memory undo brings them back.')
equal(vim.tbl_keys(user.files(directory)), { 'MEMORY.md' }, 'with one, all memories are')
user.memory('undo')
user.hears('Undone')
equal(user.files(directory), before, 'and come back')

-- ---- provider

local function provider()
  user.memory('status')
  user.sees('provider: ')
  local name = user.lines():match('provider: (%a+)')
  user.press('q')
  return name
end

user.memory('provider nobody')
user.hears('There is no provider nobody: choose one of anthropic, auto, command, offline.', vim.log.levels.ERROR)
user.memory('provider anthropic')
user.hears('anthropic needs a key: set ANTHROPIC_API_KEY before Neovim starts.', vim.log.levels.WARN)
equal(provider(), 'anthropic', 'the server hears of it')
user.memory('provider command')
user.hears('Until Neovim ends, chat logs are read by command.')
write(vim.fs.joinpath(spec.work, 'chat.txt'), user.transcript({ 'Hello.', 'Never sail on 周一.', 'Yes.' }))
user.memory('prompts ' .. vim.fs.joinpath(spec.work, 'chat.txt'))
user.sees('command would be called about once, with ', 'Never sail on 周一.')
ok(not vim.bo.modifiable, 'what would be sent is shown, and cannot be changed')
user.press('q')
user.choices = { 'offline' }
user.memory('provider')
user.hears('read by offline')
equal(provider(), 'offline', 'one can be picked, too')
user.forget()

-- ---- the server anew

local quay, first = spec.open_memory(vim.fs.joinpath(directory, 'quay.md'))
user.memory('restart')
user.hears('The server runs anew: memory-ls ')
ok(first:is_stopped(), 'the old server is gone')
equal(#spec.clients(quay), 1, 'the open file has the new one')
user.memory('log')
equal(vim.fs.basename(vim.api.nvim_buf_get_name(0)), 'lsp.log', 'its log is opened')
vim.cmd.close()
user.forget()

-- ---- where there is no memory directory

for _, client in ipairs(vim.lsp.get_clients({ name = 'memory_ls' })) do
  client:stop()
end
wait('the server stops', function()
  return #vim.lsp.get_clients({ name = 'memory_ls' }) == 0
end)
vim.cmd('silent! %bwipeout!')
local fresh = vim.fs.joinpath(spec.work, 'fresh')
write(vim.fs.joinpath(fresh, '.git', 'HEAD'), '')
vim.cmd.cd(vim.fn.fnameescape(fresh))
local commands = { 'list', 'show quay', 'new quay', 'delete quay', 'check', 'undo', 'history', 'reindex', 'stale' }
for _, command in ipairs(commands) do
  while table.remove(user.said) do end
  user.memory(command)
  wait((':Memory %s says what to do'):format(command), function()
    return user.said[1] and user.said[1][1] == 'There is no memory directory here. :Memory init makes one.'
  end, function()
    return user.said
  end)
end
user.memory('status')
user.sees('No memory directory here. :Memory init makes one.')
user.press('q')
user.memory('inject')
user.hears('There is nothing to inject')

-- ---- a chat log that makes the first

write('chat.txt', user.transcript({ 'Hello.', 'Never sail on a Sunday.', 'Yes.' }))
user.memory('consolidate chat.txt')
user.reviews('Never sail on a Sunday.', 'MEMORY.md: +')
user.press('s')
user.hears('Saved: 1 added.')
closed('the plan makes the directory')
user.memory('list')
wait('there is one memory now', function()
  return user.offered[1] and #user.offered[1].items == 1
end)
user.memory('undo')
user.hears('Undone')
user.forget()

-- ---- init

user.memory('init memory')
wait('the index of a new memory directory is opened', function()
  return vim.api.nvim_buf_get_name(0) == vim.fs.joinpath(fresh, 'memory', 'MEMORY.md')
end, function()
  return user.said
end)
user.hears('A memory directory: ')
user.memory('init memory')
user.hears('is a memory directory already', vim.log.levels.ERROR)
user.choices, user.inputs = { 'user' }, { 'who it is' }
user.memory('new first')
wait('its first memory is written', function()
  return vim.uv.fs_stat(vim.fs.joinpath(fresh, 'memory', 'first.md')) ~= nil
end)

user.forget()
spec.finish()
