-- :Memory list, show, new and delete — single memories.
local buffers = require('memory_ls.buffers')
local server = require('memory_ls.server')
local windows = require('memory_ls.windows')
local words = require('memory_ls.words')
local M = {}

local INDEX = 'MEMORY.md'
local TYPES = {
  { 'user', 'who the user is, and what they like' },
  { 'feedback', 'how the agent is to work, and why' },
  { 'project', 'what is so in this project, and why' },
  { 'reference', 'where something is found' },
}

---@param memory table
---@return string[]
local function row(memory)
  local age = memory.stale and 'stale' or words.age(memory.updated)
  return { words.one_line(memory.name, 40), memory.type or '', age, words.one_line(memory.description, 70) }
end

--- Has the user pick a memory.
---@param prompt string
---@param on_choice fun(memory: table)
local function pick(prompt, on_choice)
  server.run('list', {}, function(memories)
    if #memories == 0 then
      return words.say('There is no memory yet. :Memory new writes one.')
    end
    words.pick(memories, prompt, row, on_choice)
  end)
end

--- Finds the memory with a name, or the one that the user picks; hands it on with its text.
---@param name string
---@param prompt string
---@param on_memory fun(memory: table)
local function with_memory(name, prompt, on_memory)
  local function read(argument)
    server.run('read', argument, function(found)
      on_memory(found[1])
    end)
  end
  if name ~= '' then
    return read({ name = name })
  end
  pick(prompt, function(memory)
    read({ name = './' .. memory.path, directory = memory.directory })
  end)
end

--- Lists all memories; the one that is picked is opened.
function M.list()
  pick('Open which memory?', function(memory)
    buffers.open(memory.directory, memory.path)
  end)
end

--- Shows a memory as agents read it.
---@param given memory_ls.Given
function M.show(given)
  with_memory(given.rest, 'Show which memory?', function(memory)
    local lines = vim.split(memory.text, '\r?\n')
    local buffer, close = windows.float(lines, memory.path .. ' — Enter opens it', 'markdown')
    windows.key(buffer, { '<CR>', 'gf' }, 'Open the file', function()
      close()
      buffers.open(memory.directory, memory.path)
    end)
  end)
end

---@param files string[] paths from the directory on
---@return string the one of the memory
local function memory_of(files)
  return files[1] == INDEX and files[2] or files[1]
end

---@param argument table for the server
local function write(argument)
  server.run('write', argument, function(written)
    buffers.refresh(written.directory, written.files)
    buffers.open(written.directory, memory_of(written.files))
    vim.cmd('normal! G')
    words.say('A new memory: its text goes below.', ':Memory undo takes it away.')
  end)
end

---@param name string
---@param directory string
local function ask_for_the_rest(name, directory)
  words.pick(TYPES, 'Of which type?', function(choice)
    return choice
  end, function(choice)
    vim.ui.input({ prompt = 'Description, one line: ' }, function(description)
      if description then
        write({ name = name, type = choice[1], description = vim.trim(description), directory = directory })
      end
    end)
  end)
end

--- Writes a memory that is not there yet, and opens it.
---@param name string
local function new(name)
  -- Whether there can be such a memory is looked at before the user is asked for more.
  local argument = { name = name, type = TYPES[1][1], directory = buffers.directory(), dryRun = true }
  server.run('write', argument, function(would)
    if #would.updated == 0 then
      return ask_for_the_rest(name, would.directory)
    end
    local file = words.path(vim.fs.joinpath(would.directory, memory_of(would.files) or ''))
    words.warn(('There is a memory %s already: %s'):format(words.one_line(would.updated[1], 40), file))
  end)
end

--- Makes a memory: asks for its type and description, writes and opens it.
---@param given memory_ls.Given
function M.new(given)
  if given.rest ~= '' then
    return new(given.rest)
  end
  vim.ui.input({ prompt = 'Name of the memory: ' }, function(name)
    if name and vim.trim(name) ~= '' then
      new(vim.trim(name))
    end
  end)
end

---@param memory table
local function delete(memory)
  local argument = { name = './' .. memory.path, directory = memory.directory }
  server.run('delete', argument, function(deleted)
    buffers.refresh(deleted.directory, deleted.files)
    words.say(('Deleted %s.'):format(words.one_line(memory.name, 30)), ':Memory undo brings it back.')
  end)
end

--- Deletes a memory and its line in the index, once the user knows what that does and has said yes.
---@param given memory_ls.Given
function M.delete(given)
  with_memory(given.rest, 'Delete which memory?', function(memory)
    local argument = { name = './' .. memory.path, directory = memory.directory, dryRun = true }
    server.run('delete', argument, function(would)
      local name, about = words.one_line(memory.name, 40), words.one_line(memory.description, 60)
      local parts = { ('Delete %s (%s)?'):format(name, about) }
      vim.list_extend(parts, vim.tbl_map(words.one_line, would.warnings))
      words.ask(table.concat(parts, ' '), 'Delete it', function()
        delete(memory)
      end)
    end)
  end)
end

return M
