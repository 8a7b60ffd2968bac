-- :MemoryConsolidate and :MemoryUndo — from a chat log to memories, reviewed in a tab before anything is written.
local discover = require('memory_ls.discover')
local M = {}

local NAME = 'memory_ls'
local CONSOLIDATE = 'extractAndConsolidate'
local PATIENCE = 20000 -- milliseconds, for the server to start
local MOST_OF_A_LINE = 160 -- characters
local HEADINGS = {
  { 'add', 'Add' },
  { 'update', 'Update' },
  { 'stale', 'Mark as stale' },
  { 'skip', 'Skip' },
}

---@param text string
---@return string the text on one line, cut where it is long
local function one_line(text)
  local line = vim.trim((text:gsub('%s+', ' ')))
  local cut = vim.fn.strcharpart(line, 0, MOST_OF_A_LINE)
  return cut == line and line or cut .. '…'
end

---@param text string
---@param level integer?
local function say(text, level)
  vim.notify(text, level or vim.log.levels.INFO)
end

-- ---- the server

---@return vim.lsp.Client? the running client, which hears of the project here; where none runs, one is started
local function find_client()
  local here = vim.fn.getcwd()
  local around = discover.of_buffer(0) or discover.around(here)
  local folder = discover.project_of(around or here)
  local config = vim.tbl_extend('force', vim.lsp.config[NAME] or {}, { name = NAME, root_dir = folder })
  local running = vim.lsp.get_clients({ name = NAME })[1]
  if running and not around and vim.fs.relpath(folder, vim.uv.os_homedir() or '/') then
    return running -- the home directory is no project, and holds those of many
  end
  local id = vim.lsp.start(config, { attach = false, reuse_client = config.reuse_client })
  local client = id and vim.lsp.get_client_by_id(id)
  if client and not client.initialized then
    vim.wait(PATIENCE, function()
      return client.initialized or client:is_stopped()
    end, 20)
  end
  if client and client.initialized and not client:is_stopped() then
    return client
  end
  say('The server of memory-ls does not start. :checkhealth memory_ls tells why.', vim.log.levels.ERROR)
end

---@param problem lsp.ResponseError
---@return string what went wrong, and what to do
local function sentence(problem)
  local hint = type(problem.data) == 'table' and problem.data.hint or ''
  return vim.trim(one_line(problem.message) .. ' ' .. one_line(hint))
end

--- Shows how far the work behind a token is, in the line for messages.
---@param token string
---@return fun() stop
local function show_progress(token)
  local watcher = vim.api.nvim_create_autocmd('LspProgress', {
    callback = function(event)
      local params = event.data.params
      if params.token == token and params.value.kind ~= 'end' then
        local text = params.value.message or (params.value.title .. ' …')
        vim.api.nvim_echo({ { 'memory-ls: ' .. one_line(text) } }, false, {})
        vim.cmd.redraw()
      end
    end,
  })
  return function()
    pcall(vim.api.nvim_del_autocmd, watcher) -- whoever cancels has been here before the answer
  end
end

local runs = 0
local cancel ---@type fun()? ends the reading of a chat log that is under way

--- Runs a command of the server; what goes wrong is told. Where several directories may be meant, the user says which.
---@param client vim.lsp.Client
---@param command string without 'memoryLs.'
---@param argument table
---@param on_answer fun(answer: any)
local function run(client, command, argument, on_answer)
  runs = runs + 1
  local token = ('memory-ls-command-%d'):format(runs)
  local stop = show_progress(token)
  local params = {
    command = 'memoryLs.' .. command,
    arguments = { next(argument) and argument or vim.empty_dict() },
    workDoneToken = token,
  }
  local sent, request = client:request('workspace/executeCommand', params, function(problem, answer)
    stop()
    cancel = command ~= CONSOLIDATE and cancel or nil
    local data = problem and type(problem.data) == 'table' and problem.data or {}
    if data.key == 'directory' and not argument.directory and type(data.choices) == 'table' then
      vim.ui.select(data.choices, { prompt = 'Which memory directory?' }, function(directory)
        if directory then
          run(client, command, vim.tbl_extend('force', argument, { directory = directory }), on_answer)
        end
      end)
    elseif problem then
      say(sentence(problem), vim.log.levels.ERROR)
    else
      on_answer(answer)
    end
  end)
  if not sent then
    stop()
    say('The server of memory-ls has stopped. Run the command again to start it anew.', vim.log.levels.ERROR)
  elseif command == CONSOLIDATE then
    cancel = function()
      stop()
      client:cancel_request(request)
    end
  end
end

-- ---- the report

---@param report table
---@return string who read how much
local function first_line(report)
  local by = report.model and ('%s (%s)'):format(report.provider, report.model) or report.provider
  local messages = report.messages
  return ('%d new of %d messages, read by %s in %.1f s'):format(
    messages.new,
    messages.total,
    by,
    report.elapsedMs / 1000
  )
end

---@param lines string[]
---@param decision table
local function add_decision(lines, decision)
  table.insert(lines, '  ' .. one_line(('%s: %s'):format(decision.name, decision.reason)))
  for _, words in ipairs(decision.evidence) do
    local place = words.message > 0 and ('message %d: '):format(words.message) or ''
    table.insert(lines, ('    %s“%s”'):format(place, one_line(words.quote)))
  end
  if decision.unverified and decision.action ~= 'skip' then
    table.insert(lines, '    unverified: no words of the user say so')
  end
end

---@param report table
---@return string[] the lines of the tab
local function lines_of(report)
  local keys = report.planId and 'a: save this    x or q: discard it and close' or 'x or q: close'
  local lines = { keys, '', vim.fn.fnamemodify(report.directory, ':~'), first_line(report) }
  if not report.planId then
    table.insert(lines, one_line(report.skippedReason))
  end
  for _, warning in ipairs(report.warnings) do
    table.insert(lines, one_line(warning))
  end
  for _, heading in ipairs(HEADINGS) do
    local action, title = heading[1], heading[2]
    local decisions = vim.tbl_filter(function(decision)
      return decision.action == action
    end, report.decisions)
    if #decisions > 0 then
      vim.list_extend(lines, { '', title })
    end
    for _, decision in ipairs(decisions) do
      add_decision(lines, decision)
    end
  end
  if #report.dropped > 0 then
    vim.list_extend(lines, { '', 'Dropped' })
  end
  for _, dropped in ipairs(report.dropped) do
    local name = dropped.name ~= '' and dropped.name or '(no name)'
    table.insert(lines, '  ' .. one_line(('%s: %s'):format(name, dropped.reason)))
  end
  for _, change in ipairs(report.changes) do
    table.insert(lines, '')
    vim.list_extend(lines, vim.split(change.diff:gsub('\n$', ''), '\n'))
  end
  return lines
end

---@param buffer integer
local function close(buffer)
  if vim.api.nvim_buf_is_valid(buffer) then
    vim.api.nvim_buf_delete(buffer, { force = true })
  end
end

---@param applied table the report of a plan that was applied
local function tell_applied(applied)
  vim.cmd.checktime()
  local counts = {}
  for _, kind in ipairs({ 'added', 'updated', 'stale' }) do
    if #applied[kind] > 0 then
      table.insert(counts, ('%d %s'):format(#applied[kind], kind))
    end
  end
  say(('Memories saved: %s. :MemoryUndo takes it back.'):format(table.concat(counts, ', ')))
  for _, refused in ipairs(applied.refused) do
    say('Left as it was: ' .. one_line(refused.message), vim.log.levels.WARN)
  end
end

---@param client vim.lsp.Client
---@param report table
local function show(client, report)
  vim.cmd.stopinsert()
  vim.cmd.tabnew()
  local buffer = vim.api.nvim_get_current_buf()
  vim.bo[buffer].buftype = 'nofile'
  vim.bo[buffer].bufhidden = 'wipe'
  vim.bo[buffer].swapfile = false
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines_of(report))
  vim.bo[buffer].filetype = 'diff'
  vim.bo[buffer].modifiable = false
  local plan = { planId = report.planId, directory = report.directory }
  local function key(lhs, what, action)
    vim.keymap.set('n', lhs, action, { buffer = buffer, nowait = true, desc = what })
  end
  local function discard()
    close(buffer)
    if report.planId then
      run(client, 'discardPlan', plan, function()
        say('Discarded: nothing was saved.')
      end)
    end
  end
  key('x', 'Discard and close', discard)
  key('q', 'Discard and close', discard)
  if report.planId then
    key('a', 'Save this', function()
      run(client, 'applyPlan', plan, function(applied)
        close(buffer)
        tell_applied(applied)
      end)
    end)
  end
end

-- ---- the commands

---@param client vim.lsp.Client
---@param log { uri: string }|{ text: string }
local function consolidate(client, log)
  run(client, CONSOLIDATE, { log = log, mode = 'preview' }, function(report)
    if report.planId or #report.decisions + #report.dropped > 0 then
      show(client, report)
    else
      say(one_line(table.concat({ report.skippedReason, unpack(report.warnings) }, ' ')))
    end
  end)
end

---@param size integer in bytes
local function shown_size(size)
  return size < 1e6 and ('%.0f kB'):format(math.max(1, size / 1e3)) or ('%.1f MB'):format(size / 1e6)
end

---@param time string as 2026-11-18T10:22:05+00:00, always in UTC
---@return string the same here
local function shown_time(time)
  local year, month, day, hour, min, sec = time:match('(%d+)-(%d+)-(%d+)T(%d+):(%d+):(%d+)')
  local taken = os.time({ year = year, month = month, day = day, hour = hour, min = min, sec = sec, isdst = false })
  local shift = taken - os.time(os.date('!*t', taken)) -- between UTC and here, without summer time
  return os.date('%Y-%m-%d %H:%M', taken + shift)
end

---@param log table
---@return string
local function shown_log(log)
  return ('%s  %8s  %s'):format(shown_time(log.time), shown_size(log.size), one_line(log.title))
end

---@param client vim.lsp.Client
local function choose(client)
  local buffer = vim.api.nvim_get_current_buf()
  run(client, 'chatLogs', {}, function(logs)
    local choices = vim.list_extend({}, logs)
    table.insert(choices, 'Current buffer')
    local function format(choice)
      return type(choice) == 'table' and shown_log(choice) or choice
    end
    vim.ui.select(choices, { prompt = 'Which chat log?', format_item = format }, function(choice)
      if type(choice) == 'table' then
        consolidate(client, { uri = vim.uri_from_fname(choice.path) })
      elseif choice and vim.api.nvim_buf_is_valid(buffer) then
        consolidate(client, { text = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n') .. '\n' })
      end
    end)
  end)
end

--- Finds in a chat log what is worth remembering, and shows it.
---@param file string? the log; without it the user chooses one
function M.consolidate(file)
  local client = find_client()
  if not client then
    return
  end
  if file then
    consolidate(client, { uri = vim.uri_from_fname(vim.fs.abspath(vim.fs.normalize(file, { expand_env = false }))) })
  else
    choose(client)
  end
end

--- Ends the reading of a chat log that is under way.
function M.cancel()
  if cancel then
    cancel()
    cancel = nil
    say('Cancelled: nothing was saved.')
  else
    say('No chat log is being read.')
  end
end

--- Takes back what was changed last.
function M.undo()
  local client = find_client()
  if client then
    run(client, 'undo', {}, function(undone)
      vim.cmd.checktime()
      say('Undone: ' .. one_line(undone.title))
    end)
  end
end

return M
