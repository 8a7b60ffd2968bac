-- :Memory check, status, inject, and what keeps a directory in order: reindex, organise, stale, clear, init.
local buffers = require('memory_ls.buffers')
local review = require('memory_ls.review')
local server = require('memory_ls.server')
local windows = require('memory_ls.windows')
local words = require('memory_ls.words')
local M = {}

local NAME = 'memory_ls'
local SEVERITIES = { error = 'E', warning = 'W', information = 'I', hint = 'N' }

--- What an agent can be given.
M.FORMS = { 'index', 'summaries' }

---@param given string? a path as the user types it
---@return string? an absolute path
local function absolute(given)
  return given ~= '' and vim.fs.abspath(vim.fs.normalize(given)) or nil
end

-- ---- check

---@param findings table[]
---@return table[] items of a quickfix list
local function items_of(findings)
  local client = vim.lsp.get_clients({ name = NAME })[1]
  local items = vim.lsp.util.locations_to_items(findings, client and client.offset_encoding or 'utf-16')
  for _, item in ipairs(items) do
    local finding = item.user_data
    item.text = ('%s [%s]'):format(words.one_line(finding.message, 400), finding.code)
    item.type = SEVERITIES[finding.severity]
    item.user_data = nil
  end
  return items
end

--- Lists all that is found in the memory directories in the quickfix list.
---@param given memory_ls.Given
function M.check(given)
  server.run('check', { directory = absolute(given.rest) }, function(directories)
    local findings, memories = {}, 0
    for _, directory in ipairs(directories) do
      memories = memories + directory.memories
      vim.list_extend(findings, directory.findings)
    end
    vim.fn.setqflist({}, ' ', { title = 'Memory check', items = items_of(findings) })
    local looked = words.count(memories, 'memory', 'memories')
    if #findings == 0 then
      vim.cmd.cclose()
      words.say(('%s checked: all is well.'):format(looked))
    else
      vim.cmd('botright copen')
      words.say(('%s checked: %s.'):format(looked, words.count(#findings, 'finding')))
    end
  end)
end

-- ---- status

---@param directory table
---@return string[]
local function lines_of_directory(directory)
  local findings = {}
  for _, severity in ipairs({ 'error', 'warning', 'information', 'hint' }) do
    local number = directory.findings[severity] or 0
    if number > 0 then
      table.insert(findings, words.count(number, severity, severity == 'information' and severity or nil))
    end
  end
  local index = directory.index
  return {
    '',
    words.path(directory.path) .. (directory.reading and ' (being looked at)' or ''),
    '  ' .. words.count(directory.memories, 'memory', 'memories'),
    index and ('  index: %d of at most %d lines, %.1f of %.1f kB'):format(
      index.lines,
      index.maxLines,
      index.bytes / 1000,
      index.maxBytes / 1000
    ) or '  no index',
    '  ' .. (#findings > 0 and table.concat(findings, ', ') .. ' — :Memory check' or 'no findings'),
  }
end

---@param status table
local function show_status(status)
  local lines = { ('memory-ls %s, provider: %s'):format(status.version, status.provider) }
  for _, directory in ipairs(status.directories) do
    vim.list_extend(lines, lines_of_directory(directory))
  end
  if #status.directories == 0 then
    vim.list_extend(lines, { '', 'No memory directory here. :Memory init makes one.' })
  end
  if #status.work > 0 then
    vim.list_extend(lines, { '', 'Under way: ' .. table.concat(status.work, ', ') .. ' — :Memory cancel' })
  end
  for number, plan in ipairs(status.pendingPlans) do
    vim.list_extend(lines, number == 1 and { '', 'Waiting — :Memory review' } or {})
    table.insert(lines, ('  %s (%s)'):format(words.one_line(plan.title), words.path(plan.directory)))
  end
  windows.float(lines, 'Memory status', 'memory-ls-status')
end

--- Shows how the memory directories and the server are.
function M.status()
  local function show()
    server.run('status', {}, show_status)
    return true
  end
  server.run('plans', {}, show, show) -- answered when the directories have been found
end

-- ---- inject

--- Shows what an agent is given of the memories at the start of a chat.
---@param given memory_ls.Given
function M.inject(given)
  local argument = { form = given.rest ~= '' and given.rest or nil, directory = buffers.directory() }
  server.run('injection', argument, function(text)
    if text == '' then
      return words.say('There is nothing to inject: no memory is here.')
    end
    windows.split(vim.split(text:gsub('\n$', ''), '\n'), 'What an agent is given', 'markdown')
  end)
end

-- ---- upkeep

--- Proposes a change of the directory of the current buffer, else of the one that the user picks.
---@param command string
---@param argument table
---@param nothing string what is told where nothing is to change
local function propose(command, argument, nothing)
  argument.directory = buffers.directory()
  argument.preview = true
  server.run(command, argument, function(report)
    if not report.planId then
      return words.say(nothing)
    end
    review.open(report.planId)
  end)
end

function M.reindex()
  propose('reindex', { mode = 'repair' }, 'The index is complete: nothing is to be changed.')
end

function M.rebuild()
  propose('reindex', { mode = 'regenerate' }, 'A new index would be the same.')
end

function M.organise()
  propose('reindex', { mode = 'organise' }, 'The index is in order: nothing is to be changed.')
end

---@param given memory_ls.Given
function M.stale(given)
  local days = tonumber(given.rest)
  if given.rest ~= '' and (not days or days < 0 or days % 1 ~= 0) then
    return words.fail('How many days? As in :Memory stale 90, or without a number for the setting staleDays.')
  end
  propose('markStale', { olderThanDays = days }, 'No memory is so old that it would be marked.')
end

--- Deletes all memories of a directory, once the user has said yes.
function M.clear()
  server.run('clear', { directory = buffers.directory(), dryRun = true }, function(would)
    if #would.files == 0 then
      return words.say('There is no memory to delete.')
    end
    local question = ('Delete all memories of %s?'):format(words.path(would.directory))
    words.ask(question, 'Delete them all', function()
      server.run('clear', { directory = would.directory, confirm = true }, function(cleared)
        buffers.refresh(cleared.directory, cleared.files)
        words.say('All memories are deleted. :Memory undo brings them back.')
      end)
    end)
  end)
end

--- Makes a memory directory, and opens its index.
---@param given memory_ls.Given
function M.init(given)
  server.run('init', { directory = absolute(given.rest) }, function(made)
    buffers.open(made.directory, made.files[1])
    words.say(('A memory directory: %s.'):format(words.path(made.directory)), ':Memory new writes a memory.')
  end)
end

return M
