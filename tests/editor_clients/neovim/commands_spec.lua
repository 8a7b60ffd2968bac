-- :Memory itself — its subcommands, their completion, and what is told where there is no server. See spec.lua.
local user = dofile(vim.fs.joinpath(vim.fs.dirname(arg[0]), 'user.lua'))
local spec = user.spec
local ok, equal, write, work = spec.ok, spec.equal, spec.write, spec.work
local directory = user.begin()

local function completes(line, wanted, name)
  equal(vim.fn.getcompletion('Memory ' .. line, 'cmdline'), wanted, name)
end

-- ---- nothing is loaded before it is used

equal(package.loaded['memory_ls.commands'], nil, 'the plugin loads nothing until :Memory is used')

-- ---- without a server

for _, command in ipairs({ 'no-such-program', work }) do
  vim.lsp.config('memory_ls', { cmd = { command, 'serve' } })
  user.memory('list')
  user.hears(('There is no program `%s`: see :help memory-ls-install.'):format(command), vim.log.levels.ERROR)
end
for _, command in ipairs({ 'false', 'true' }) do
  vim.lsp.config('memory_ls', { cmd = { command } })
  user.memory('undo')
  user.hears('The server does not start: :checkhealth memory_ls tells why.', vim.log.levels.ERROR)
end
completes('show ', {}, 'nor is there anything to complete, and no error')
vim.lsp.config('memory_ls', { cmd = { 'memory-ls', 'serve' } })

-- ---- subcommands

local names = vim.tbl_map(function(subcommand)
  return subcommand[1]
end, require('memory_ls.commands').SUBCOMMANDS)
completes('', names, 'all subcommands are completed')
completes('c', { 'consolidate', 'check', 'clear', 'cancel' }, 'or those that begin as what is there')
for _, name in ipairs(names) do
  local module = vim.iter(require('memory_ls.commands').SUBCOMMANDS):find(function(subcommand)
    return subcommand[1] == name
  end)[2]
  equal(type(require('memory_ls.' .. module)[name]), 'function', (':Memory %s does something'):format(name))
end
user.memory('conslidate')
user.hears('There is no :Memory conslidate. Tab behind :Memory shows what there is.', vim.log.levels.ERROR)
user.choices = { 'end what is under way' }
vim.cmd.Memory()
user.hears('Nothing is under way.')
equal(#user.offered[1].items, #names, 'without a subcommand, the user picks one')

-- ---- what stands behind them

write(vim.fs.joinpath(directory, 'two-words.md'), spec.memory('Two words'))
vim.cmd.enew()
-- One who presses Tab waits only so long for a server that starts, and presses it once more.
spec.wait('names of memories are completed, from an empty buffer, with no server before', function()
  return vim.deep_equal(vim.fn.getcompletion('Memory show ', 'cmdline'), { 'quay', 'tide', 'Two words' })
end)
equal(#vim.lsp.get_clients({ name = 'memory_ls' }), 1, 'one server was started for it')
completes('delete Q', { 'quay' }, 'whatever their case')
completes('show two w', { 'words' }, 'also those with spaces')
completes('undo ', {}, 'nothing where nothing is taken')
completes('provider ', { 'anthropic', 'auto', 'command', 'offline' }, 'providers')
completes('inject s', { 'summaries' }, 'forms')
completes('check ', { vim.fn.fnamemodify(directory, ':~') }, 'memory directories')
write('chats/one.txt', {})
write('chats/two three.txt', {})
completes('consolidate chats/', { 'chats/one.txt', 'chats/two three.txt' }, 'files')
completes('consolidate chats/two t', { 'three.txt' }, 'also those with spaces')
completes('init ch', { 'chats/' }, 'directories')
equal(vim.fn.getcompletion("'<,'>Memory cons", 'cmdline'), { 'consolidate' }, 'behind a range')

-- ---- a buffer that was left without a server

local quay, client = spec.open_memory(vim.fs.joinpath(directory, 'quay.md'))
client:stop(true)
spec.wait('the server stops', function()
  return client:is_stopped() and #vim.lsp.get_clients({ name = 'memory_ls' }) == 0
end)
user.memory('status')
user.sees('3 memories')
equal(#spec.clients(quay), 1, 'gets the one that a command starts')
user.press('q')

user.forget()
spec.finish()
