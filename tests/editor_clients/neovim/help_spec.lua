-- :help memory-ls — its tags are made without an error, and tell of every subcommand and key. See spec.lua.
local spec = dofile(vim.fs.joinpath(vim.fs.dirname(arg[0]), 'spec.lua'))
local ok, equal = spec.ok, spec.equal

-- A copy, for the tags are written beside the text.
local source = vim.fs.joinpath(arg[1], 'doc', 'memory-ls.txt')
local text = assert(io.open(source, 'rb')):read('*a')
local copy = vim.fs.joinpath(spec.work, 'doc')
spec.write(vim.fs.joinpath(copy, 'memory-ls.txt'), text)
vim.opt.runtimepath:prepend(spec.work)
vim.cmd.helptags(vim.fn.fnameescape(copy))

local tags = {}
for line in io.lines(vim.fs.joinpath(copy, 'tags')) do
  tags[line:match('^%S+')] = true
end

-- ---- what there is stands in the help

local subcommands = require('memory_ls.commands').SUBCOMMANDS
local wanted = { 'memory-ls', 'memory-ls.txt', ':Memory', 'g:memory_ls' }
for _, chapter in ipairs({ 'install', 'keys', 'commands', 'review', 'settings', 'health' }) do
  table.insert(wanted, 'memory-ls-' .. chapter)
end
for _, subcommand in ipairs(subcommands) do
  table.insert(wanted, ':Memory-' .. subcommand[1])
end
table.sort(wanted)
local made = vim.tbl_keys(tags)
table.sort(made)
equal(made, wanted, 'every chapter, subcommand and option has its tag, and nothing else')

-- ---- and what stands there is so

for name in text:gmatch('|(:?[Mm]emory[%w-]*)|') do
  ok(tags[name], ('|%s| leads somewhere'):format(name))
end
for _, subcommand in ipairs(subcommands) do
  local line = text:match('\n([^\n]*Memory[^\n]* ' .. subcommand[1] .. '[%s\n][^\n]*)')
  ok(line, ('how :Memory %s is written is told'):format(subcommand[1]))
  equal(line:find('[range]', 1, true) ~= nil, subcommand.range == true, 'and whether it takes lines')
end
for _, option in ipairs({ 'code_lens', 'inlay_hints' }) do
  ok(text:find(option, 1, true), option .. ' is told of')
end
vim.cmd.help('memory-ls-review')
ok(vim.fn.expand('%:t') == 'memory-ls.txt' and vim.bo.buftype == 'help', ':help finds it')

spec.finish()
