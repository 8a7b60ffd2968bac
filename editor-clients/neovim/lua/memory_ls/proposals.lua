-- The changes that a plan proposes, each of which is accepted or rejected by itself, with the words it came from.
local report = require('memory_ls.report')
local words = require('memory_ls.words')
local M = {}

local INDEX = 'MEMORY.md'
local VERBS = { add = 'add', update = 'update', stale = 'mark as stale', skip = 'leave' }
local KINDS = { create = 'create', edit = 'change', delete = 'delete', rename = 'rename' }

---@class memory_ls.Proposal an operation of a plan, with all that it does
---@field number integer
---@field title string
---@field grounds string[]
---@field file table the file that shows it best, before and after
---@field accepted boolean
---@field first integer its first line in the list of a review
---@field last integer

---@param changes table[] those of one operation
---@return table the change that says most: of a memory, where there is one
local function main_change(changes)
  for _, change in ipairs(changes) do
    if change.path ~= INDEX then
      return change
    end
  end
  return changes[1]
end

---@param plan table
---@param path string
---@return table the file before and after the plan
local function file_of(plan, path)
  for _, file in ipairs(plan.files or {}) do
    if file.path == path then
      return file
    end
  end
  return { path = path }
end

---@param plan table
---@param number integer
---@param changes table[]
---@param decisions table[] several, where candidates have come together in one memory
---@return memory_ls.Proposal
local function proposal_of(plan, number, changes, decisions)
  local main = main_change(changes)
  local title, grounds = ('%s %s'):format(KINDS[main.kind] or main.kind, main.path), {}
  if decisions[1] then
    title = ('%s %s  (%s)'):format(VERBS[decisions[1].action], words.one_line(decisions[1].name), main.path)
  end
  for _, decision in ipairs(decisions) do
    vim.list_extend(grounds, report.grounds(decision))
  end
  for _, change in ipairs(changes) do
    if change ~= main then
      vim.list_extend(grounds, report.changed_lines(change))
    end
  end
  local file = file_of(plan, main.path)
  return { number = number, title = title, grounds = grounds, file = file, accepted = true, first = 0, last = 0 }
end

---@param list table[]
---@return table<integer, table[]> by their operations
local function by_operation(list)
  local groups = vim.defaulttable(function()
    return {}
  end)
  for _, item in ipairs(list) do
    table.insert(groups[item.operation or 0], item)
  end
  return groups
end

--- The proposals of a plan, in its order.
---@param plan table with its files
---@return memory_ls.Proposal[]
function M.of(plan)
  local changes, decisions = by_operation(plan.changes), by_operation(plan.decisions or {})
  changes[0] = nil -- what the others stand on is not chosen by itself
  local numbers = vim.tbl_keys(changes)
  table.sort(numbers)
  return vim.tbl_map(function(number)
    return proposal_of(plan, number, changes[number], decisions[number])
  end, numbers)
end

return M
