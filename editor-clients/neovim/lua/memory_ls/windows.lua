-- Windows that show something and go again: they hold scratch buffers, which only keys change.
local M = {}

---@param lines string[]
---@param filetype string
---@return integer buffer
function M.scratch(lines, filetype)
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.bo[buffer].bufhidden = 'wipe'
  M.fill(buffer, lines)
  vim.bo[buffer].filetype = filetype
  return buffer
end

--- Replaces the text of a scratch buffer.
---@param buffer integer
---@param lines string[]
function M.fill(buffer, lines)
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].modified = false
end

---@param buffer integer
---@param keys string|string[]
---@param what string
---@param action fun()
function M.key(buffer, keys, what, action)
  for _, lhs in ipairs(type(keys) == 'table' and keys or { keys }) do
    vim.keymap.set('n', lhs, action, { buffer = buffer, nowait = true, desc = what })
  end
end

---@param buffer integer
function M.close(buffer)
  if vim.api.nvim_buf_is_valid(buffer) then
    vim.api.nvim_buf_delete(buffer, { force = true })
  end
end

--- Shows lines in a floating window in the middle of the screen; `q`, Esc, and leaving it close it.
---@param lines string[]
---@param title string
---@param filetype string
---@return integer buffer
---@return fun() close
function M.float(lines, title, filetype)
  local buffer = M.scratch(lines, filetype)
  local width = math.max(40, vim.fn.strdisplaywidth(title) + 4)
  for _, line in ipairs(lines) do
    width = math.max(width, vim.fn.strdisplaywidth(line) + 1)
  end
  width = math.max(1, math.min(width, vim.o.columns - 6, 100))
  local function placed(height)
    return {
      relative = 'editor',
      row = math.max(0, math.floor((vim.o.lines - height) / 2) - 1),
      col = math.max(0, math.floor((vim.o.columns - width) / 2) - 1),
      width = width,
      height = height,
    }
  end
  local border = vim.o.winborder ~= '' and vim.o.winborder or 'rounded'
  local look = { border = border, style = 'minimal', title = border ~= 'none' and (' %s '):format(title) or nil }
  local window = vim.api.nvim_open_win(buffer, true, vim.tbl_extend('error', placed(1), look))
  vim.wo[window][0].wrap = true
  vim.wo[window][0].linebreak = true
  local needed = vim.api.nvim_win_text_height(window, {}).all
  vim.api.nvim_win_set_config(window, placed(math.max(1, math.min(needed, vim.o.lines - 6))))
  local function close()
    M.close(buffer)
  end
  M.key(buffer, { 'q', '<Esc>' }, 'Close', close)
  vim.api.nvim_create_autocmd('BufLeave', { buffer = buffer, once = true, callback = vim.schedule_wrap(close) })
  return buffer, close
end

--- Shows lines in a window below; `q` closes it.
---@param lines string[]
---@param name string
---@param filetype string
---@return integer buffer
function M.split(lines, name, filetype)
  local buffer = M.scratch(lines, filetype)
  vim.cmd('botright split')
  vim.api.nvim_win_set_buf(0, buffer)
  vim.wo[0][0].winbar = name:gsub('%%', '%%%%') .. '%=q: close '
  vim.wo[0][0].wrap = true
  vim.wo[0][0].number = false
  M.key(buffer, 'q', 'Close', function()
    M.close(buffer)
  end)
  return buffer
end

return M
