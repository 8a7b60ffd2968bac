-- :Memory consolidate, logs and prompts — what a chat log holds that is worth remembering.
local buffers = require('memory_ls.buffers')
local report = require('memory_ls.report')
local review = require('memory_ls.review')
local server = require('memory_ls.server')
local windows = require('memory_ls.windows')
local words = require('memory_ls.words')
local M = {}

local OFFLINE = 'offline'
local FEW = 3 -- so many calls of a model are not worth a question

---@alias memory_ls.Log table what of a chat log the server is told

---@param buffer integer
---@param first integer? line, counted from 1
---@param last integer?
---@return memory_ls.Log
local function text_of(buffer, first, last)
  local lines = vim.api.nvim_buf_get_lines(buffer, (first or 1) - 1, last or -1, false)
  return { log = { text = table.concat(lines, '\n') .. '\n' } }
end

---@param given string a path as the user types it, with % for the current file
---@return memory_ls.Log
local function log_at(given)
  local expanded = given:match('^[%%#<]') and vim.fn.expand(given) or given:gsub('\\ ', ' ')
  if expanded == '' then
    return text_of(0) -- the current buffer, which has no file
  end
  local path = vim.fs.abspath(vim.fs.normalize(expanded, { expand_env = false }))
  local buffer = buffers.find(path)
  if buffer and vim.bo[buffer].modified then
    return text_of(buffer) -- what the user sees counts
  end
  return { log = { uri = vim.uri_from_fname(path) } }
end

--- Has the user pick a log of the project.
---@param more string[] what else there is to pick
---@param on_choice fun(choice: table|string)
local function pick(more, on_choice)
  server.run('chatLogs', {}, function(logs)
    local choices = vim.list_extend(logs, more)
    if #choices == 0 then
      return words.say('No chat log of this project is known here.', ':Memory consolidate FILE takes any.')
    end
    words.pick(choices, 'Which chat log?', function(choice)
      if type(choice) == 'string' then
        return { choice, '', '' }
      end
      return { words.time(choice.time), words.size(choice.size), words.one_line(choice.title, 100) }
    end, on_choice)
  end)
end

--- A model takes its time. Who works on meanwhile must not find keys pressed in a window that comes from nowhere.
---@return fun(): boolean whether the user has done nothing since
local function watch_user()
  local function place()
    return { vim.api.nvim_get_current_win(), vim.api.nvim_win_get_cursor(0), vim.b.changedtick }
  end
  local before = place()
  return function()
    return vim.api.nvim_get_mode().mode == 'n' and vim.deep_equal(place(), before)
  end
end

-- ---- what it takes

---@param answer table of the command prompts
---@return string about what it takes; deciding on what is found comes on top, and is not known before
local function cost_of(answer)
  local estimate = answer.estimate
  return ('%s would be called about %s, with %d tokens sent and at most %d received.'):format(
    answer.provider,
    estimate.calls == 1 and 'once' or ('%d times'):format(estimate.calls),
    estimate.inputTokens,
    estimate.outputTokens
  )
end

--- Asks before a model is called more than a few times.
---@param argument table
---@param on_yes fun(argument: table) with the directory, where the user has chosen one
local function agree_to_cost(argument, on_yes)
  server.run('status', {}, function(status)
    if status.provider == OFFLINE then
      return on_yes(argument)
    end
    server.run('prompts', argument, function(answer, asked)
      if answer.estimate.calls <= FEW then
        return on_yes(asked)
      end
      words.ask('This chat log is long. ' .. cost_of(answer), 'Go on', function()
        on_yes(asked)
      end)
    end)
  end)
end

-- ---- from a log to proposed memories

---@param argument table
---@param waits fun(): boolean
local function read(argument, waits)
  server.run('extractAndConsolidate', vim.tbl_extend('error', argument, { mode = 'preview' }), function(answer)
    if answer.planId and waits() then
      review.open(answer.planId)
    elseif answer.planId then
      words.say('The chat log is read: :Memory review shows what is found.')
    elseif #answer.decisions + #answer.dropped > 0 and waits() then
      local lines = report.head(answer, 'Nothing to save')
      windows.split(vim.list_extend(lines, report.rest(answer)), 'Nothing to save', 'memory-ls-review')
    elseif #answer.decisions + #answer.dropped > 0 then
      words.say('The chat log is read: nothing of it is to be saved.')
    elseif answer.messages and answer.messages.new == 0 and answer.messages.total > 0 then
      words.say('There is nothing new in it. :Memory! consolidate reads it all.')
    else
      words.say(words.one_line(table.concat({ answer.skippedReason, unpack(answer.warnings) }, ' ')))
    end
  end)
end

---@param log memory_ls.Log
---@param from_start boolean
local function consolidate(log, from_start)
  local argument = vim.tbl_extend('error', log, { fromStart = from_start or nil })
  local waits = watch_user()
  agree_to_cost(argument, function(agreed)
    read(agreed, waits)
  end)
end

--- Hands on the log that is meant: the selection, the file that is named, or the one that the user picks.
---@param given memory_ls.Given
---@param on_log fun(log: memory_ls.Log)
local function with_log(given, on_log)
  local buffer = vim.api.nvim_get_current_buf()
  if given.range then
    local chosen = text_of(buffer, given.range[1], given.range[2])
    chosen.minMessages = 1 -- the user has chosen what is to be read
    on_log(chosen)
  elseif given.rest ~= '' then
    on_log(log_at(given.rest))
  else
    pick({ 'Current buffer' }, function(choice)
      if type(choice) == 'table' then
        on_log({ log = { uri = vim.uri_from_fname(choice.path) } })
      elseif vim.api.nvim_buf_is_valid(buffer) then
        on_log(text_of(buffer))
      end
    end)
  end
end

--- Finds in a chat log what is worth remembering, and shows it; with a bang also in what was read before.
---@param given memory_ls.Given
function M.consolidate(given)
  with_log(given, function(log)
    consolidate(log, given.bang)
  end)
end

--- Lists the chat logs of the project; the one that is picked is consolidated.
---@param given memory_ls.Given
function M.logs(given)
  pick({}, function(log)
    consolidate({ log = { uri = vim.uri_from_fname(log.path) } }, given.bang)
  end)
end

--- Shows what a model would be sent of a log.
---@param given memory_ls.Given
function M.prompts(given)
  with_log(given, function(log)
    local argument = vim.tbl_extend('error', log, { fromStart = given.bang or nil })
    server.run('prompts', argument, function(answer)
      if #answer.prompts == 0 then
        local why = answer.provider == OFFLINE and 'The provider is offline: nothing leaves this machine.'
        return words.say(why or 'Nothing new to send: :Memory! prompts shows what was read before, too.')
      end
      local lines = vim.split(cost_of(answer) .. '\n\n' .. table.concat(answer.prompts, '\n\n'), '\n')
      windows.split(lines, 'What would be sent', 'text')
    end)
  end)
end

return M
