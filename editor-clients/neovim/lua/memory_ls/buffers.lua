-- The buffers of memories: which directory the current one is in, and what the server has written in them.
local discover = require('memory_ls.discover')
local M = {}

---@return string? the memory directory of the current buffer: where the user is, that is the one that is meant
function M.directory()
  return discover.of_buffer(0)
end

---@param path string
---@return integer? buffer the loaded buffer of a file
function M.find(path)
  local wanted = discover.real(path)
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    local name = vim.api.nvim_buf_get_name(buffer)
    if name ~= '' and vim.api.nvim_buf_is_loaded(buffer) and discover.real(name) == wanted then
      return buffer
    end
  end
end

--- Shows what the server has written: reads open files again, and puts away those that are gone.
---@param directory string
---@param paths string[] of the files that the server has changed, from the directory on
function M.refresh(directory, paths)
  for _, path in ipairs(paths) do
    local file = vim.fs.joinpath(directory, path)
    local buffer = not vim.uv.fs_stat(file) and M.find(file)
    if buffer and not vim.bo[buffer].modified then
      vim.api.nvim_buf_delete(buffer, {})
    end
  end
  vim.cmd.checktime()
end

---@param changes { path: string }[]
---@return string[]
function M.paths_of(changes)
  return vim.tbl_map(function(change)
    return change.path
  end, changes)
end

--- Goes to a window that holds a file, where the current one holds something else, such as the quickfix list.
---@return boolean whether a file may be opened in the current window now
local function find_room()
  local is_review = vim.iter(vim.api.nvim_tabpage_list_wins(0)):any(function(window)
    return vim.b[vim.api.nvim_win_get_buf(window)].memory_ls_plan ~= nil
  end)
  if is_review then
    vim.cmd.tabprevious() -- that tab is full, and goes when one of its windows shows something else
  end
  for _, window in ipairs({ 0, unpack(vim.api.nvim_tabpage_list_wins(0)) }) do
    local buffer = vim.api.nvim_win_get_buf(window)
    local is_free = vim.o.hidden or not vim.bo[buffer].modified
    if vim.bo[buffer].buftype == '' and is_free and not vim.wo[window].winfixbuf then
      vim.api.nvim_set_current_win(window)
      return true
    end
  end
  return false
end

---@param directory string
---@param path string from the directory on
function M.open(directory, path)
  local file = vim.fn.fnamemodify(vim.fs.joinpath(directory, path), ':.')
  local command = find_room() and 'edit' or 'split'
  vim.cmd[command]({ file, magic = { file = false }, mods = { silent = true } })
end

return M
