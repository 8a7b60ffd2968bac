-- Which memory directory a file lies in. The server has the same rules; the two share one table of tests.
local M = {}

local LEVELS_UP = 4

-- Below a project or a home directory; '*' is any one name without a leading dot.
local KNOWN_PLACES = {
  { '.claude', 'memory' },
  { '.agents', 'memory' },
  { '.cat-code', 'memory' },
  { '.claude', 'agent-memory', '*' },
  { '.claude', 'agent-memory-local', '*' },
  { '.claude', 'projects', '*', 'memory' },
}

---@param directory string an absolute path
---@return boolean whether an agent keeps memories in directories with such a path
function M.is_known_place(directory)
  local parts = vim.split(vim.fs.normalize(directory), '/', { trimempty = true })
  for _, place in ipairs(KNOWN_PLACES) do
    local first = #parts - #place
    local same = first >= 0
    for number, name in ipairs(place) do
      local part = parts[first + number]
      same = same and (name == part or (name == '*' and part ~= nil and part:sub(1, 1) ~= '.'))
    end
    if same then
      return true
    end
  end
  return false
end

---@param directory string an absolute path
---@return boolean whether the directory has an index that is a file
local function has_index(directory)
  local found = vim.uv.fs_stat(vim.fs.joinpath(directory, 'MEMORY.md'))
  return found ~= nil and found.type == 'file'
end

---@param file string the absolute path of a markdown file, which need not exist yet
---@param named string[]? memory directories that the user's settings name
---@return string? the memory directory it lies in
function M.directory_of(file, named)
  local is_named = {}
  for _, name in ipairs(named or {}) do
    is_named[vim.fs.normalize(vim.fn.expand(name))] = true
  end
  local level = 0
  for parent in vim.fs.parents(vim.fs.normalize(file)) do
    level = level + 1
    if level > LEVELS_UP then
      return nil
    end
    if is_named[parent] or has_index(parent) or M.is_known_place(parent) then
      return parent
    end
  end
end

return M
