-- The subcommands of :Memory and their completion. A subcommand's module is loaded when it runs.
local server = require('memory_ls.server')
local words = require('memory_ls.words')
local M = {}

local PATIENCE = 3000 -- milliseconds that completion may take where the server is to be started first

---@class memory_ls.Given what a subcommand is given
---@field rest string what stands behind it
---@field bang boolean
---@field range integer[]? the first and the last line

-- ---- what completes what stands behind a subcommand

---@return string[]
local function memory_names()
  local names = {}
  for _, memory in ipairs(server.wait_for('list', PATIENCE) or {}) do
    table.insert(names, memory.name)
  end
  return names
end

---@return string[]
local function memory_directories()
  local paths = {}
  server.wait_for('list', PATIENCE) -- answered when the directories have been found
  for _, directory in ipairs((server.wait_for('status', PATIENCE) or {}).directories or {}) do
    table.insert(paths, words.path(directory.path))
  end
  return paths
end

---@param kind 'file'|'dir'
---@return fun(typed: string): string[]
local function paths(kind)
  return function(typed)
    return vim.fn.getcompletion(typed, kind)
  end
end

---@param module string
---@param list string
---@return fun(): string[]
local function list_of(module, list)
  return function()
    return require('memory_ls.' .. module)[list]
  end
end

-- ---- the subcommands

---@class memory_ls.Subcommand
---@field [1] string name
---@field [2] string module
---@field [3] string what it does, in a line
---@field complete (fun(typed: string): string[])?
---@field range boolean? whether it takes lines

---@type memory_ls.Subcommand[]
M.SUBCOMMANDS = {
  { 'consolidate', 'consolidate', 'find what is worth remembering', complete = paths('file'), range = true },
  { 'review', 'review', 'decide on the changes that wait' },
  { 'undo', 'history', 'take back the last change' },
  { 'history', 'history', 'what was changed, and back' },
  { 'list', 'memories', 'all memories; opens one' },
  { 'show', 'memories', 'a memory in a floating window', complete = memory_names },
  { 'new', 'memories', 'write a new memory' },
  { 'delete', 'memories', 'delete a memory and its line in the index', complete = memory_names },
  { 'check', 'upkeep', 'all findings in the quickfix list', complete = memory_directories },
  { 'status', 'upkeep', 'how memories and server are' },
  { 'inject', 'upkeep', 'what an agent is given of the memories', complete = list_of('upkeep', 'FORMS') },
  { 'logs', 'consolidate', 'the chat logs of this project; consolidates one' },
  { 'prompts', 'consolidate', 'what a model would be sent of a chat log', complete = paths('file'), range = true },
  { 'reindex', 'upkeep', 'list what is missing in the index, drop what leads nowhere' },
  { 'rebuild', 'upkeep', 'write the index anew from the memories' },
  { 'organise', 'upkeep', 'put the index in order' },
  { 'stale', 'upkeep', 'mark memories that are old' },
  { 'init', 'upkeep', 'make a memory directory', complete = paths('dir') },
  { 'clear', 'upkeep', 'delete all memories of a directory' },
  { 'provider', 'running', 'choose who reads chat logs', complete = list_of('running', 'PROVIDERS') },
  { 'cancel', 'running', 'end what is under way' },
  { 'restart', 'running', 'start the server anew' },
  { 'log', 'running', 'what the server says of its work' },
}

---@param name string
---@return memory_ls.Subcommand?
local function find(name)
  for _, subcommand in ipairs(M.SUBCOMMANDS) do
    if subcommand[1] == name then
      return subcommand
    end
  end
end

---@param subcommand memory_ls.Subcommand
---@param given memory_ls.Given
local function start(subcommand, given)
  if given.range and not subcommand.range then
    return words.fail((':Memory %s takes no lines.'):format(subcommand[1]))
  end
  require('memory_ls.' .. subcommand[2])[subcommand[1]](given)
end

--- Runs :Memory; without a subcommand the user picks one.
---@param command table what Neovim gives a user command
function M.run(command)
  local name, rest = command.args:match('^(%S*)%s*(.-)%s*$')
  local range = command.range > 0 and { command.line1, command.line2 } or nil
  local given = { rest = rest, bang = command.bang, range = range }
  local subcommand = find(name)
  if subcommand then
    start(subcommand, given)
  elseif name == '' then
    words.pick(M.SUBCOMMANDS, 'Memory:', function(choice)
      return { choice[1], choice[3] }
    end, function(choice)
      start(choice, given)
    end)
  else
    words.fail(('There is no :Memory %s. Tab behind :Memory shows what there is.'):format(words.one_line(name, 20)))
  end
end

-- ---- completion

---@param candidates string[]
---@param typed string all that stands behind the subcommand, which may hold spaces
---@param lead string the part of it that is replaced
---@return string[]
local function matching(candidates, typed, lead)
  local kept = typed:sub(1, #typed - #lead)
  local found = {}
  for _, candidate in ipairs(candidates) do
    if vim.startswith(vim.fn.tolower(candidate), vim.fn.tolower(typed)) then
      table.insert(found, candidate:sub(#kept + 1))
    end
  end
  return found
end

---@param lead string
---@param line string
---@param position integer
---@return string[]
function M.complete(lead, line, position)
  local typed = line:sub(1, position):match('Mem%a*!?%s+(.*)$') or ''
  local name, behind = typed:match('^(%S+)%s+(.*)$')
  if not name then
    local names = vim.tbl_map(function(subcommand)
      return subcommand[1]
    end, M.SUBCOMMANDS)
    return matching(names, typed, lead)
  end
  local subcommand = find(name)
  if not subcommand or not subcommand.complete then
    return {}
  end
  return matching(subcommand.complete(behind), behind, lead)
end

return M
