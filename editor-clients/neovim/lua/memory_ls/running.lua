-- :Memory provider, restart, log and cancel — how the server runs.
local server = require('memory_ls.server')
local words = require('memory_ls.words')
local M = {}

local NAME = 'memory_ls'
local PATIENCE = 5000 -- milliseconds, for the server to stop by itself

--- The providers that can be chosen here; `editor` is for clients that have a model of their own.
M.PROVIDERS = { 'anthropic', 'auto', 'command', 'offline' }
local NEEDS = {
  anthropic = 'a key: set ANTHROPIC_API_KEY before Neovim starts.',
  command = 'a program: name it in the setting `command`.',
}

---@param name string of a provider
---@param status table of the server
---@return string? what it lacks to work
function M.lack_of(name, status)
  if NEEDS[name] and not vim.list_contains(status.configured, name) then
    return ('%s needs %s'):format(name, NEEDS[name])
  end
end

---@param name string
local function set_provider(name)
  local settings = { memoryLs = { provider = name } }
  vim.lsp.config(NAME, { settings = settings })
  for _, client in ipairs(vim.lsp.get_clients({ name = NAME })) do
    client.settings = vim.tbl_deep_extend('force', client.settings or {}, settings)
    client:notify('workspace/didChangeConfiguration', { settings = client.settings })
  end
  server.run('status', {}, function(status)
    local lack = M.lack_of(name, status)
    if lack then
      words.warn(lack)
    else
      words.say(('Until Neovim ends, chat logs are read by %s.'):format(name))
    end
  end)
end

--- Chooses who reads chat logs, until Neovim ends.
---@param given memory_ls.Given
function M.provider(given)
  if given.rest == '' then
    return words.pick(M.PROVIDERS, 'Who is to read chat logs?', function(name)
      return { name }
    end, set_provider)
  elseif not vim.list_contains(M.PROVIDERS, given.rest) then
    local providers = table.concat(M.PROVIDERS, ', ')
    return words.fail(('There is no provider %s: choose one of %s.'):format(given.rest, providers))
  end
  set_provider(given.rest)
end

--- Starts the server anew, as after an update; the open files get the new one.
function M.restart()
  local clients = vim.lsp.get_clients({ name = NAME })
  for _, client in ipairs(clients) do
    client:stop()
  end
  vim.wait(PATIENCE, function()
    return #vim.lsp.get_clients({ name = NAME }) == 0
  end, 20)
  for _, client in ipairs(vim.lsp.get_clients({ name = NAME })) do
    client:stop(true)
  end
  server.run('status', {}, function(status)
    words.say(('The server runs anew: memory-ls %s.'):format(status.version))
  end)
end

--- Opens what the server has said of its work.
function M.log()
  vim.cmd.split({ vim.lsp.log.get_filename(), magic = { file = false } })
  vim.cmd('normal! G')
end

--- Ends what takes long.
function M.cancel()
  words.say(server.cancel() and 'Cancelled: nothing was saved.' or 'Nothing is under way.')
end

return M
