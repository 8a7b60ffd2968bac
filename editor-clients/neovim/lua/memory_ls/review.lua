-- :Memory review — a plan that waits, in a tab: its changes in a list, each accepted or rejected, and below the list
-- the file of the one under the cursor before and after. Nothing is written until the user saves.
local buffers = require('memory_ls.buffers')
local proposals = require('memory_ls.proposals')
local report = require('memory_ls.report')
local server = require('memory_ls.server')
local windows = require('memory_ls.windows')
local words = require('memory_ls.words')
local M = {}

local ACCEPTED, REJECTED = '✓', '✗'
local KEYS = 'a accept  x reject  s save  D discard  q later'
local NAMES = 'memory-ls://review/' -- what the names of the buffers begin with
local marks = vim.api.nvim_create_namespace('memory_ls_review')
local rejected = {} ---@type table<string, table<integer, boolean>> the operations of each plan, for when it comes again

---@class memory_ls.Review a plan in a tab
---@field plan table
---@field proposals memory_ls.Proposal[]
---@field shown memory_ls.Proposal? the one whose file is shown
---@field list integer the buffer of the list
---@field before integer
---@field after integer
---@field tab integer
---@field windows { list: integer, before: integer, after: integer }
---@field ending boolean

-- ---- what is shown

---@param proposal memory_ls.Proposal
---@return string
local function title_line(proposal)
  return ('%s %s'):format(proposal.accepted and ACCEPTED or REJECTED, proposal.title)
end

---@param review memory_ls.Review
local function show_list(review)
  local lines = report.head(review.plan, review.plan.title)
  for _, proposal in ipairs(review.proposals) do
    vim.list_extend(lines, { '', title_line(proposal) })
    proposal.first = #lines
    for _, ground in ipairs(proposal.grounds) do
      table.insert(lines, '    ' .. ground)
    end
    proposal.last = #lines
  end
  windows.fill(review.list, vim.list_extend(lines, report.rest(review.plan)))
end

---@param review memory_ls.Review
local function show_marks(review)
  vim.api.nvim_buf_clear_namespace(review.list, marks, 0, -1)
  local accepted = 0
  for _, proposal in ipairs(review.proposals) do
    accepted = accepted + (proposal.accepted and 1 or 0)
    local line = title_line(proposal)
    vim.bo[review.list].modifiable = true
    vim.api.nvim_buf_set_lines(review.list, proposal.first - 1, proposal.first, false, { line })
    vim.bo[review.list].modifiable = false
    vim.bo[review.list].modified = false
    local group = proposal.accepted and 'DiagnosticOk' or 'DiagnosticError'
    vim.api.nvim_buf_set_extmark(review.list, marks, proposal.first - 1, 0, { end_col = #line, hl_group = group })
  end
  local winbar = ('%d of %d accepted  %s'):format(accepted, #review.proposals, KEYS)
  vim.wo[review.windows.list][0].winbar = winbar
end

---@param window integer
---@param label string
---@param path string what is cut where there is no room
local function set_winbar(window, label, path)
  vim.wo[window][0].winbar = label .. '%<' .. path:gsub('%%', '%%%%')
end

--- Shows the file of a proposal, before on the left and after on the right.
---@param review memory_ls.Review
---@param proposal memory_ls.Proposal
local function show_file(review, proposal)
  review.shown = proposal
  local file = proposal.file
  for _, side in ipairs({ 'before', 'after' }) do
    local text = file[side]
    windows.fill(review[side], text and vim.split(text:gsub('\r?\n$', ''), '\r?\n') or {})
    local path = side == 'after' and file.newPath or file.path
    set_winbar(review.windows[side], ('%s%s: '):format(side, text and '' or ' (no file)'), path)
    vim.api.nvim_win_set_cursor(review.windows[side], { 1, 0 })
  end
  vim.api.nvim_win_call(review.windows.after, function()
    vim.cmd.diffupdate()
    if vim.fn.diff_hlID(1, 1) == 0 then
      vim.cmd('silent! normal! ]c') -- to the first that has changed
    end
  end)
end

---@param review memory_ls.Review
---@return memory_ls.Proposal? the one under the cursor of the list
local function under_cursor(review)
  local line = vim.api.nvim_win_get_cursor(review.windows.list)[1]
  for _, proposal in ipairs(review.proposals) do
    if proposal.first <= line and line <= proposal.last then
      return proposal
    end
  end
end

---@param review memory_ls.Review
---@param step integer
local function go(review, step)
  for position, proposal in ipairs(review.proposals) do
    if proposal == review.shown then
      local next_one = review.proposals[position + step]
      if next_one then
        vim.api.nvim_win_set_cursor(review.windows.list, { next_one.first, 0 })
        vim.api.nvim_win_call(review.windows.list, function()
          if vim.fn.line('w$') < next_one.last then
            vim.cmd('normal! zt') -- all of it, where there is room
          end
        end)
        show_file(review, next_one)
      end
      return
    end
  end
end

-- ---- what the user does

---@param review memory_ls.Review
---@param proposal memory_ls.Proposal
---@param accepted boolean
local function note(review, proposal, accepted)
  proposal.accepted = accepted
  rejected[review.plan.planId] = rejected[review.plan.planId] or {}
  rejected[review.plan.planId][proposal.number] = not accepted or nil
end

---@param review memory_ls.Review
---@param accepted boolean
local function decide(review, accepted)
  note(review, review.shown, accepted)
  show_marks(review)
  go(review, 1)
end

---@param review memory_ls.Review
---@param accepted boolean
local function decide_all(review, accepted)
  for _, proposal in ipairs(review.proposals) do
    note(review, proposal, accepted)
  end
  show_marks(review)
end

---@param review memory_ls.Review
local function close(review)
  review.ending = true
  local is_taken = vim.api.nvim_win_is_valid(review.windows.list)
    and vim.api.nvim_win_get_buf(review.windows.list) ~= review.list -- as by :edit, for something else
  if not is_taken and vim.api.nvim_tabpage_is_valid(review.tab) and #vim.api.nvim_list_tabpages() > 1 then
    vim.cmd.tabclose(vim.api.nvim_tabpage_get_number(review.tab)) -- with whatever floats above it
  end
  for _, buffer in ipairs({ review.before, review.after, review.list }) do
    windows.close(buffer)
  end
end

--- The windows are gone or going, and the plan is neither saved nor discarded.
---@param review memory_ls.Review
local function leave(review)
  if not review.ending then
    close(review)
    words.say('Nothing is written yet. :Memory review comes back to it.')
  end
end

---@param applied table the report of a plan that was applied
---@param plan table
---@return string[] what is not as the user would expect, and was not told with the plan
local function news_of(applied, plan)
  local news = {}
  for _, refusal in ipairs(applied.refused or {}) do
    table.insert(news, words.one_line(refusal.message))
  end
  for _, warning in ipairs(applied.warnings or {}) do
    if not vim.list_contains(plan.warnings or {}, warning) then
      table.insert(news, words.one_line(warning))
    end
  end
  return vim.list_extend(news, applied.leftPlanId and { ':Memory review shows it.' } or {})
end

---@param applied table
---@param plan table
local function tell_applied(applied, plan)
  buffers.refresh(plan.directory, buffers.paths_of(applied.changes))
  local counts = {}
  for _, kind in ipairs({ 'added', 'updated', 'stale' }) do
    if applied[kind] and #applied[kind] > 0 then
      table.insert(counts, ('%d %s'):format(#applied[kind], kind))
    end
  end
  local what = #counts > 0 and ': ' .. table.concat(counts, ', ') or ''
  local news = news_of(applied, plan)
  if #news == 0 then
    words.say(('Saved%s. :Memory undo takes it back.'):format(what))
  else
    local part = #(applied.refused or {}) > 0 and ' in part' or ''
    words.warn(('Saved%s%s. %s'):format(part, what, table.concat(news, ' ')))
  end
end

--- A plan that can't be applied any more is not worth keeping, but that is for the user to say.
---@param review memory_ls.Review
---@param problem lsp.ResponseError
---@return boolean
local function tell_refused(review, problem)
  local data = type(problem.data) == 'table' and problem.data or {}
  local kind = data.kind
  -- The hint tells a plan that is gone from a file of it.
  if kind == 'notFound' and (data.hint or ''):find('memoryLs.plans', 1, true) then
    close(review)
    words.warn('The plan does not wait any more: it was saved or discarded elsewhere.')
    return true
  elseif kind == 'changed' or kind == 'notFound' or kind == 'exists' then
    local again = review.plan.provider and ', and :Memory! consolidate reads the log once more' or ''
    words.fail(('%s Nothing is saved. D discards the plan%s.'):format(words.one_line(problem.message), again))
    return true
  end
  return false
end

---@param plan table
---@param only integer[] the operations that are accepted
---@return string[] the names of the files that these change and that have unsaved text
local function unsaved(plan, only)
  local names = {}
  for _, change in ipairs(plan.changes) do
    local is_meant = change.operation == 0 or vim.list_contains(only, change.operation)
    local buffer = is_meant and buffers.find(vim.fs.joinpath(plan.directory, change.path))
    if buffer and vim.bo[buffer].modified and not vim.list_contains(names, change.path) then
      table.insert(names, change.path)
    end
  end
  return names
end

---@param review memory_ls.Review
local function save(review)
  local only = {}
  for _, proposal in ipairs(review.proposals) do
    if proposal.accepted then
      table.insert(only, proposal.number)
    end
  end
  if #only == 0 then
    return words.warn('Nothing is accepted: a accepts a change, D discards the plan.')
  end
  local names = unsaved(review.plan, only)
  if #names > 0 then
    return words.warn(('Unsaved text in %s: write it, or take it back, then press s.'):format(table.concat(names, ', ')))
  end
  local argument = { planId = review.plan.planId, only = #only < #review.proposals and only or nil }
  server.run('applyPlan', argument, function(applied)
    close(review)
    tell_applied(applied, review.plan)
  end, function(problem)
    return tell_refused(review, problem)
  end)
end

---@param review memory_ls.Review
local function discard(review)
  local about_log = review.plan.provider and ' The log counts as read.' or ''
  words.ask('Discard all changes?' .. about_log, 'Discard them', function()
    server.run('discardPlan', { planId = review.plan.planId }, function()
      close(review)
      words.say('Discarded: nothing was saved.')
    end)
  end)
end

-- ---- the tab

---@param review memory_ls.Review
local function set_keys(review)
  local keys = {
    { 'a', 'Accept this change', decide, true },
    { 'x', 'Reject this change', decide, false },
    { 'A', 'Accept all changes', decide_all, true },
    { 'X', 'Reject all changes', decide_all, false },
    { '<Tab>', 'Next change', go, 1 },
    { '<S-Tab>', 'Previous change', go, -1 },
    { 's', 'Save what is accepted', save },
    { 'D', 'Discard the plan', discard },
    { 'q', 'Leave it for later', leave },
  }
  for _, buffer in ipairs({ review.list, review.before, review.after }) do
    for _, key in ipairs(keys) do
      windows.key(buffer, key[1], key[2], function()
        key[3](review, key[4])
      end)
    end
  end
end

---@param review memory_ls.Review
local function open_windows(review)
  vim.cmd.stopinsert()
  vim.cmd('tab split')
  review.tab = vim.api.nvim_get_current_tabpage()
  local list = vim.api.nvim_get_current_win()
  vim.api.nvim_win_set_buf(list, review.list)
  local room = vim.o.lines
  local before = vim.api.nvim_open_win(review.before, false, { split = 'below', win = list })
  local after = vim.api.nvim_open_win(review.after, false, { split = 'right', win = before })
  review.windows = { list = list, before = before, after = after }
  vim.api.nvim_win_set_height(list, math.floor(room * 0.4))
  for side, window in pairs(review.windows) do
    vim.wo[window][0].number = false
    vim.wo[window][0].relativenumber = false
    vim.wo[window][0].signcolumn = 'no'
    if side ~= 'list' then
      vim.api.nvim_win_call(window, vim.cmd.diffthis)
    end
    vim.wo[window][0].wrap = true -- the text is prose, in lines of any length
    vim.wo[window][0].linebreak = true
    vim.wo[window][0].breakindent = true
  end
  vim.wo[list][0].cursorline = true
end

--- What a Vim user types to save, saves; a copy of what is shown, in a file that is named, is something else.
---@param review memory_ls.Review
local function take_writes(review)
  for _, side in ipairs({ 'list', 'before', 'after' }) do
    vim.bo[review[side]].buftype = 'acwrite'
    vim.api.nvim_create_autocmd('BufWriteCmd', {
      buffer = review[side],
      callback = function(event)
        if vim.startswith(event.match, NAMES) then
          save(review)
        else
          words.warn('Nothing is written: `:w` without a name saves what is accepted.')
        end
      end,
    })
  end
end

---@param review memory_ls.Review
local function watch(review)
  vim.api.nvim_create_autocmd('CursorMoved', {
    buffer = review.list,
    callback = function()
      local proposal = under_cursor(review)
      if proposal and proposal ~= review.shown then
        show_file(review, proposal)
      end
    end,
  })
  local function leave_soon()
    vim.schedule(function()
      leave(review)
    end)
  end
  for side, window in pairs(review.windows) do
    vim.api.nvim_create_autocmd('WinClosed', { pattern = tostring(window), once = true, callback = leave_soon })
    vim.api.nvim_create_autocmd('BufWipeout', { buffer = review[side], once = true, callback = leave_soon })
  end
end

---@param id string
---@return integer? window where the plan is shown already
local function window_of(id)
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.b[vim.api.nvim_win_get_buf(window)].memory_ls_plan == id then
      return window
    end
  end
end

---@param plan table with its files
local function show(plan)
  local review = {
    plan = plan,
    proposals = proposals.of(plan),
    list = windows.scratch({}, 'memory-ls-review'),
    before = windows.scratch({}, 'markdown'),
    after = windows.scratch({}, 'markdown'),
    ending = false,
  }
  vim.b[review.list].memory_ls_plan = plan.planId
  for _, proposal in ipairs(review.proposals) do
    proposal.accepted = not (rejected[plan.planId] or {})[proposal.number]
  end
  for _, side in ipairs({ 'list', 'before', 'after' }) do
    vim.api.nvim_buf_set_name(review[side], ('%s%s/%s'):format(NAMES, plan.planId:sub(1, 6), side))
  end
  open_windows(review)
  show_list(review)
  show_marks(review)
  set_keys(review)
  take_writes(review)
  watch(review)
  vim.api.nvim_win_set_cursor(review.windows.list, { review.proposals[1].first, 0 })
  show_file(review, review.proposals[1])
end

--- Shows a plan that waits.
---@param id string
function M.open(id)
  local window = window_of(id)
  if window then
    vim.api.nvim_set_current_win(window)
    return
  end
  server.run('plans', { planId = id }, function(plans)
    if #plans[1].changes == 0 then
      return words.warn('The plan changes nothing any more.')
    end
    show(plans[1])
  end)
end

--- Shows the plan that waits; where there are several, the user says which.
function M.review()
  server.run('plans', {}, function(plans)
    if #plans == 0 then
      words.say('No plan waits. :Memory consolidate makes one from a chat log.')
    elseif #plans == 1 then
      M.open(plans[1].planId)
    else
      words.pick(plans, 'Which plan?', function(plan)
        local from = plan.log ~= '' and plan.log or words.path(plan.directory, 30)
        return { words.time(plan.time), words.one_line(from, 30), words.one_line(plan.title, 100) }
      end, function(plan)
        M.open(plan.planId)
      end)
    end
  end)
end

return M
