-- :Memory history and undo — what was changed in the memories, by whom, and back.
local buffers = require('memory_ls.buffers')
local server = require('memory_ls.server')
local windows = require('memory_ls.windows')
local words = require('memory_ls.words')
local M = {}

local SOURCES = { plan = 'here', undo = 'undo', external = 'outside' }

---@param argument table
---@param on_done fun()?
local function undo(argument, on_done)
  server.run('undo', argument, function(undone)
    buffers.refresh(undone.directory, buffers.paths_of(undone.files))
    local told = 'Undone: ' .. words.ended(words.one_line(undone.title, 50))
    if #undone.warnings == 0 then
      words.say(told, ':Memory history knows the way back.')
    else
      words.warn(told .. ' ' .. table.concat(vim.tbl_map(words.one_line, undone.warnings), ' '))
    end
    if on_done then
      on_done()
    end
  end)
end

---@param entry table
---@return string[]
local function row(entry)
  local title = words.one_line(entry.title, 80) .. (entry.undone and ' (undone)' or '')
  return { words.time(entry.time), SOURCES[entry.source] or entry.source, title }
end

---@param entry table with the diffs of its files
local function show(entry)
  local keys = entry.undone and '' or '   u: undo this'
  local lines = { words.one_line(entry.title), words.path(entry.directory) }
  for _, file in ipairs(entry.files) do
    table.insert(lines, '')
    local diff = file.diff or ('%s: how it was changed is not known any more'):format(file.path)
    vim.list_extend(lines, vim.split(diff:gsub('\n$', ''), '\n'))
  end
  local title = ('%s  %s%s'):format(words.time(entry.time), SOURCES[entry.source] or entry.source, keys)
  local buffer = windows.split(lines, title, 'diff')
  if not entry.undone then
    windows.key(buffer, 'u', 'Undo this', function()
      undo({ journalId = entry.id, directory = entry.directory }, function()
        windows.close(buffer)
      end)
    end)
  end
end

--- Lists what was changed, the newest first; the one that is picked is shown, and can be undone.
function M.history()
  server.run('history', {}, function(entries)
    if #entries == 0 then
      return words.say('Nothing was changed yet.')
    end
    words.pick(entries, 'Which change?', row, function(entry)
      server.run('history', { journalId = entry.id, directory = entry.directory }, function(found)
        show(found[1])
      end)
    end)
  end)
end

--- Takes back what was changed last.
function M.undo()
  undo({})
end

return M
