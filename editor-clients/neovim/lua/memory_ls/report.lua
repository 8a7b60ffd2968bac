-- A report of the server as lines for people: what becomes of which candidate, and the words it came from.
local words = require('memory_ls.words')
local M = {}

local MOST_OF_A_QUOTE = 400 -- characters
local MOST_DIFF_LINES = 12 -- of a file that is shown beside another

---@param report table
---@return string who read how much
local function who_read(report)
  local by = report.model and ('%s (%s)'):format(report.provider, report.model) or report.provider
  local messages, seconds = report.messages, report.elapsedMs / 1000
  return ('%d new of %d messages, read by %s in %.1f s'):format(messages.new, messages.total, by, seconds)
end

--- The lines above all decisions.
---@param report table
---@param title string
---@return string[]
function M.head(report, title)
  local lines = { ('%s — %s'):format(words.one_line(title), words.path(report.directory, 40)) }
  if report.provider then
    table.insert(lines, who_read(report))
  end
  if report.skippedReason and report.skippedReason ~= '' then
    table.insert(lines, words.one_line(report.skippedReason))
  end
  for _, warning in ipairs(report.warnings or {}) do
    table.insert(lines, '! ' .. words.one_line(warning, MOST_OF_A_QUOTE))
  end
  return lines
end

---@param evidence { message: integer, quote: string }[]
---@return { message: integer, quote: string }[] without those that stand in another one
local function whole_quotes(evidence)
  return vim.iter(evidence):enumerate():filter(function(number, each)
    return not vim.iter(evidence):enumerate():any(function(other_number, other)
      local is_longer = #other.quote > #each.quote or (other.quote == each.quote and other_number < number)
      return is_longer and other.message == each.message and other.quote:find(each.quote, 1, true) ~= nil
    end)
  end):map(function(_, each)
    return each
  end):totable()
end

--- The words that a decision rests on, and its reason.
---@param decision table
---@return string[]
function M.grounds(decision)
  local lines = {}
  for _, evidence in ipairs(whole_quotes(decision.evidence or {})) do
    local place = evidence.message > 0 and ('message %d: '):format(evidence.message) or ''
    table.insert(lines, ('%s“%s”'):format(place, words.one_line(evidence.quote, MOST_OF_A_QUOTE)))
  end
  if decision.unverified and decision.action ~= 'skip' then
    table.insert(lines, 'unverified: no words of the user say so')
  end
  if decision.reason ~= '' then
    table.insert(lines, words.one_line(decision.reason, MOST_OF_A_QUOTE))
  end
  return lines
end

--- What a change does to its file, a line each.
---@param change table
---@return string[]
function M.changed_lines(change)
  local lines = {}
  for _, line in ipairs(vim.split(change.diff, '\n')) do
    if line:match('^[-+]') and not line:match('^%-%-%- ') and not line:match('^%+%+%+ ') then
      table.insert(lines, ('%s: %s'):format(change.path, words.one_line(line)))
    end
  end
  if #lines > MOST_DIFF_LINES then
    local rest = #lines - MOST_DIFF_LINES
    lines = vim.list_slice(lines, 1, MOST_DIFF_LINES)
    table.insert(lines, ('%s: … and %s'):format(change.path, words.count(rest, 'more line')))
  end
  return lines
end

--- What is not saved, and why.
---@param report table
---@return string[]
function M.rest(report)
  local lines = {}
  local function add(heading, items)
    for number, item in ipairs(items) do
      vim.list_extend(lines, number == 1 and { '', heading } or {})
      local name = item.name ~= '' and item.name or '(no name)'
      table.insert(lines, ('  %s: %s'):format(words.one_line(name), words.one_line(item.reason, MOST_OF_A_QUOTE)))
    end
  end
  add(
    'Skipped',
    vim.tbl_filter(function(decision)
      return decision.action == 'skip'
    end, report.decisions or {})
  )
  add('Dropped', report.dropped or {})
  return lines
end

return M
