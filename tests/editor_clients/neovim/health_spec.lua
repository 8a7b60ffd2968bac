-- The report of :checkhealth memory_ls, when all is well and when something is not.
local spec = dofile(vim.fs.joinpath(vim.fs.dirname(arg[0]), 'spec.lua'))
local ok, write, work = spec.ok, spec.write, spec.work

local memory = vim.fs.joinpath(work, 'project', '.claude', 'memory')
write(vim.fs.joinpath(memory, 'MEMORY.md'), { '- [Quay](quay.md)' })
write(vim.fs.joinpath(memory, 'quay.md'), spec.memory('quay'))
write(vim.fs.joinpath(work, 'project', '.memory-ls.toml'), { 'staleDays = 7' })
write(vim.fs.joinpath(work, 'project', '.git', 'HEAD'), '')

local function script(name, text)
  local path = vim.fs.joinpath(work, 'bin', name)
  write(path, text)
  vim.uv.fs_chmod(path, 493) -- rwxr-xr-x
  return path
end

local function report()
  vim.cmd.checkhealth('memory_ls')
  local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  vim.cmd.bwipeout()
  return text
end

-- Each of `wanted` is in the report, in this order.
local function reports(name, ...)
  local text, from = report(), 1
  for _, wanted in ipairs({ ... }) do
    local at = text:find(wanted, from, true)
    if not at then
      io.stdout:write(text, '\n')
    end
    ok(at, ('%s: %s'):format(name, wanted))
    from = at
  end
end

local function start_with(command)
  vim.lsp.config('memory_ls', { cmd = { command, 'serve' } })
end

vim.env.ANTHROPIC_API_KEY, vim.env.ANTHROPIC_AUTH_TOKEN = nil, nil
reports('without the plugin', 'the command :Memory is not there', 'plugin/memory_ls.lua')
vim.cmd.runtime('plugin/memory_ls.lua')
ok(not report():find('the command :Memory', 1, true), 'and with it, no word of that')
reports('before anything', 'not enabled', "Write vim.lsp.enable('memory_ls')", 'No server runs', 'No open file lies in')

start_with('memory-ls-of-nobody')
reports('no program', '`memory-ls-of-nobody` is not on the PATH', 'cmd = {')
start_with(script('broken', '#!/bin/sh\necho "Traceback" >&2\necho "No module named memory_ls" >&2\nexit 1\n'))
reports('a program without its package', 'fails with status 1: No module named memory_ls', 'install memory-ls anew')
start_with(script('orphan', '#!/no/such/python\n'))
reports('a program without its Python', 'ERROR', 'orphan', 'does not start')
spec.open(vim.fs.joinpath(memory, 'quay.md'))
ok(not report():find('has no server', 1, true), 'what follows from it is not told as another fault')
vim.cmd.bwipeout()
start_with(script('other', '#!/bin/sh\necho "other 1.0"\n'))
reports('another program', 'fails with status 0: other 1.0', 'Is it the right program?')

-- A server that takes its time.
vim.lsp.config('memory_ls', { cmd = { 'sleep', '60' } })
local function starting()
  return vim.lsp.get_clients({ name = 'memory_ls', _uninitialized = true })[1]
end
vim.lsp.enable('memory_ls')
spec.open(vim.fs.joinpath(memory, 'quay.md'))
spec.wait('it starts', starting)
reports('while it starts', 'A server is starting.', memory .. ': 1 open with the server')
starting():stop(true)
spec.wait('it is gone', function()
  return not starting()
end)
vim.lsp.enable('memory_ls', false)

vim.g.memory_ls = { code_lens = false }
vim.lsp.config('memory_ls', {
  cmd = { 'memory-ls', 'serve' },
  init_options = { indexMaxLines = 100 },
  settings = { memoryLs = { rules = { ['body-empty'] = 'off' } } },
})
vim.lsp.enable('memory_ls')
spec.open_memory(vim.fs.joinpath(memory, 'quay.md'))
vim.cmd.edit(vim.fs.joinpath(memory, 'other.md'))
vim.bo.filetype = 'text'
local client = vim.lsp.get_clients()[1]
local version = client.server_info.version
reports(
  'with a server',
  'OK memory-ls ' .. version,
  'OK enabled',
  'code lenses are turned off by vim.g.memory_ls.code_lens',
  ('client %d: memory-ls %s, positions in utf-8'):format(client.id, version),
  memory .. ': 1 open with the server',
  'other.md has no server',
  "Its filetype is 'text'",
  'indexMaxLines = 100 (init_options)',
  'rules = { ["body-empty"] = "off" } (settings.memoryLs)',
  '.memory-ls.toml counts too',
  'chat logs are read by offline'
)
ok(not report():find('ERROR', 1, true), 'and no error')

client.settings.memoryLs.provider = 'anthropic'
client:notify('workspace/didChangeConfiguration', { settings = client.settings })
reports('a provider that lacks its key', 'the provider anthropic needs a key: set ANTHROPIC_API_KEY')

start_with(script('newer', '#!/bin/sh\necho "memory-ls, version 99.0"\n'))
reports('a program that was replaced', 'and the program is 99.0', ':Memory restart')

spec.finish()
