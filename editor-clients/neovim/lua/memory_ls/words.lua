-- How things are put to people: messages, and times, sizes and paths in them.
local M = {}

local MOST_OF_A_LINE = 160 -- characters
local DAY = 24 * 60 * 60 -- seconds

---@param text string
---@param most integer?
---@return string the text on one line, cut where it is long
function M.one_line(text, most)
  local line = vim.trim((text:gsub('%s+', ' ')))
  local cut = vim.fn.strcharpart(line, 0, most or MOST_OF_A_LINE)
  return cut == line and line or cut .. '…'
end

---@param text string
---@return string the text with a full stop, where it does not end already
function M.ended(text)
  return text:find('[.!?]$') and text or vim.endswith(text, '…') and text or text .. '.'
end

--- Tells the user something; who inserts text sees only `-- INSERT --` there, and is told once more after it.
---@param text string
---@param level integer
local function tell(text, level)
  vim.notify(text, level)
  if vim.api.nvim_get_mode().mode:find('^[iR]') then
    vim.api.nvim_create_autocmd('InsertLeave', {
      once = true,
      callback = vim.schedule_wrap(function()
        vim.api.nvim_echo({ { text } }, false, {})
      end),
    })
  end
end

---@param text string
---@param hint string? what is told too where the line for messages has room: one that is full asks for ENTER
function M.say(text, hint)
  local whole = hint and text .. ' ' .. hint or text
  tell(vim.fn.strdisplaywidth(whole) < vim.v.echospace and whole or text, vim.log.levels.INFO)
end

---@param text string
function M.warn(text)
  tell(text, vim.log.levels.WARN)
end

---@param text string
function M.fail(text)
  tell(text, vim.log.levels.ERROR)
end

---@param path string
---@param most integer? characters
---@return string the path, with ~ for the home directory; its end where it is long
function M.path(path, most)
  local shown = vim.fn.fnamemodify(path, ':~')
  local over = vim.fn.strchars(shown) - (most or math.huge)
  return over <= 0 and shown or '…' .. vim.fn.strcharpart(shown, over + 1)
end

---@param number integer
---@param thing string in the singular
---@param things string? in the plural, where it is not made with an s
---@return string
function M.count(number, thing, things)
  return ('%d %s'):format(number, number == 1 and thing or things or thing .. 's')
end

---@param size integer in bytes
---@return string
function M.size(size)
  return size < 1e6 and ('%.0f kB'):format(math.max(1, size / 1e3)) or ('%.1f MB'):format(size / 1e6)
end

---@param time string as 2026-11-18T10:22:05+00:00, always in UTC
---@return string the same here
function M.time(time)
  local year, month, day, hour, min, sec = time:match('(%d+)-(%d+)-(%d+)T(%d+):(%d+):(%d+)')
  local taken = os.time({ year = year, month = month, day = day, hour = hour, min = min, sec = sec, isdst = false })
  local shift = taken - os.time(os.date('!*t', taken)) -- between UTC and here, without summer time
  return os.date('%Y-%m-%d %H:%M', taken + shift)
end

---@param day string? as 2026-11-18
---@return string how long ago that was
function M.age(day)
  local year, month, number = (day or ''):match('(%d+)-(%d+)-(%d+)')
  if not year then
    return ''
  end
  local now = os.date('*t')
  local today = os.time({ year = now.year, month = now.month, day = now.day, hour = 12 })
  local noon = os.time({ year = year, month = month, day = number, hour = 12 })
  local days = math.floor((today - noon) / DAY + 0.5)
  if days < 1 then
    return 'today'
  end
  return days < 60 and M.count(days, 'day') or M.count(math.floor(days / 30.4), 'month')
end

--- Makes columns of cells that people read one below the other.
---@param rows string[][] each as long as the others
---@return string[] the lines
function M.columns(rows)
  local widths = {}
  for _, row in ipairs(rows) do
    for column, cell in ipairs(row) do
      widths[column] = math.max(widths[column] or 0, vim.fn.strdisplaywidth(cell))
    end
  end
  return vim.tbl_map(function(row)
    local padded = {}
    for column, cell in ipairs(row) do
      padded[column] = cell .. (' '):rep(widths[column] - vim.fn.strdisplaywidth(cell))
    end
    return (table.concat(padded, '  '):gsub('%s+$', ''))
  end, rows)
end

---@return integer the cells of a choice that stays on one line, where Neovim itself lists them
function M.room()
  return vim.o.columns - #'100: ' - 1
end

--- Lets the user pick one of several things, each shown as a row of columns.
---@generic T
---@param things T[]
---@param prompt string
---@param row fun(thing: T): string[]
---@param on_choice fun(thing: T)
function M.pick(things, prompt, row, on_choice)
  local room, lines = M.room(), {}
  for number, line in ipairs(M.columns(vim.tbl_map(row, things))) do
    local fits = vim.fn.strdisplaywidth(line) <= room
    lines[things[number]] = fits and line or vim.fn.printf('%.' .. room - 1 .. 'S…', line)
  end
  local function format(thing)
    return lines[thing]
  end
  vim.ui.select(things, { prompt = prompt, format_item = format }, function(thing)
    if thing then
      on_choice(thing)
    end
  end)
end

--- Asks before something is done.
---@param question string
---@param yes string what is done
---@param on_yes fun()
function M.ask(question, yes, on_yes)
  vim.ui.select({ yes, 'Leave it' }, { prompt = question }, function(choice)
    if choice == yes then
      on_yes()
    end
  end)
end

return M
