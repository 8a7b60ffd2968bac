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
  local width, height = 40, 0
  local most = math.max(20, math.min(vim.o.columns - 6, 100))
  for _, line in ipairs(lines) do
    width = math.min(math.max(width, vim.fn.strdisplaywidth(line) + 1), most)
  end
  for _, line in ipairs(lines) do
    height = height + math.max(1, math.ceil(vim.fn.strdisplaywidth(line) / width))
  end
  height = math.max(1, math.min(height, vim.o.lines - 6))
  local window = vim.api.nvim_open_win(buffer, true, {
    relative = 'editor',
    row = math.floor((vim.o.lines - height) / 2) - 1,
    col = math.floor((vim.o.columns - width) / 2) - 1,
    width = width,
    height = height,
    border = 'rounded',
    style = 'minimal',
    title = (' %s '):format(title),
  })
  vim.wo[window][0].wrap = true
  vim.wo[window][0].linebreak = true
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
