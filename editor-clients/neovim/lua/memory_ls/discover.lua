-- Which memory directory a file lies in, and which project that belongs to. The server has the same rules for the
-- first; the two share one table of tests.
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
---@return string[]? the known place that such a path is: an agent keeps memories there
local function known_place(directory)
  local parts = vim.split(vim.fs.normalize(directory), '/', { trimempty = true })
  for _, place in ipairs(KNOWN_PLACES) do
    local first = #parts - #place
    local same = first >= 0
    for number, name in ipairs(place) do
      local part = parts[first + number]
      same = same and (name == part or (name == '*' and part ~= nil and part:sub(1, 1) ~= '.'))
    end
    if same then
      return place
    end
  end
end

---@param directory string an absolute path
---@return boolean whether the directory has an index that is a file
local function has_index(directory)
  local found = vim.uv.fs_stat(vim.fs.joinpath(directory, 'MEMORY.md'))
  return found ~= nil and found.type == 'file'
end

---@param name string a path as the settings have it
---@return string an absolute path
local function absolute(name)
  return vim.fs.abspath(vim.fs.normalize(name, { expand_env = false }))
end

---@param path string
---@return string the path without symbolic links, also of a file that is yet to be
function M.real(path)
  local parent = vim.uv.fs_realpath(vim.fs.dirname(path))
  return vim.uv.fs_realpath(path) or (parent and vim.fs.joinpath(parent, vim.fs.basename(path))) or path
end

---@param file string the absolute path of a markdown file, which need not exist yet
---@param named string[]? memory directories that the user's settings name
---@return string? the memory directory it lies in
function M.directory_of(file, named)
  local is_named = {}
  for _, name in ipairs(named or {}) do
    is_named[M.real(absolute(name))] = true
  end
  local level = 0
  for parent in vim.fs.parents(vim.fs.normalize(file)) do
    level = level + 1
    if level > LEVELS_UP then
      return nil
    end
    if is_named[parent] or has_index(parent) or known_place(parent) then
      return parent
    end
  end
end

---@return string[] the memory directories that the settings in Neovim name
local function named()
  local config = vim.lsp.config.memory_ls or {}
  local found = {}
  for _, settings in ipairs({ config.init_options or {}, (config.settings or {}).memoryLs or {} }) do
    vim.list_extend(found, settings.directories or {})
    table.insert(found, settings.directory)
  end
  return found
end

---@param buffer integer
---@return string? the memory directory that the buffer's file lies in, itself or as what it is a symbolic link to
function M.of_buffer(buffer)
  local file = vim.api.nvim_buf_get_name(buffer)
  if file == '' or file:match('^%a[%w+.-]+://') then
    return nil
  end
  return M.directory_of(file, named()) or M.directory_of(M.real(file), named())
end

---@param folder string an absolute path
---@return string? the memory directory that the folder is, or lies in
function M.around(folder)
  return M.directory_of(vim.fs.joinpath(folder, 'MEMORY.md'), named())
end

--- The project is the workspace folder: its settings file counts, and its other memory directories are served too.
---@param directory string a memory directory
---@return string the git repository around it, else the folder with the agents' files, else the directory itself
function M.project_of(directory)
  local place = known_place(directory)
  if place and place[2] == 'projects' then
    return directory -- the memories of one project among those of many
  end
  local holder = directory
  for _ in ipairs(place or {}) do
    holder = vim.fs.dirname(holder)
  end
  local home = M.real(vim.uv.os_homedir() or '/')
  for _, folder in ipairs({ vim.fs.root(holder, '.git') or holder, holder }) do
    if not vim.fs.relpath(M.real(folder), home) then -- neither the home directory nor what it lies in
      return folder
    end
  end
  return directory
end

return M
