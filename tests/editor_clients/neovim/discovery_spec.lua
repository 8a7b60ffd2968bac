-- Which files lie in a memory directory, by the table that all clients share, and which project they belong to.
local spec = dofile(vim.fs.joinpath(vim.fs.dirname(arg[0]), 'spec.lua'))
local ok, equal, write, work = spec.ok, spec.equal, spec.write, spec.work
local cases_file = assert(arg[3], 'usage: discovery_spec.lua CLIENT_FOLDER WORK_FOLDER CASES.json')
local discover = require('memory_ls.discover')

local function in_case(folder, path)
  return path == '.' and folder or vim.fs.joinpath(folder, path)
end

local table_of_cases = vim.json.decode(table.concat(vim.fn.readfile(cases_file), '\n'))
local asked = 0
for number, case in ipairs(table_of_cases.cases) do
  local folder = vim.fs.joinpath(work, 'cases', tostring(number))
  vim.fn.mkdir(folder, 'p')
  for path, text in pairs(case.files or {}) do
    write(in_case(folder, path), text == vim.NIL and '' or text)
  end
  for path, target in pairs(case.symlinks or {}) do
    vim.fn.mkdir(vim.fs.dirname(in_case(folder, path)), 'p')
    vim.uv.fs_symlink(target, in_case(folder, path))
  end
  local named = vim.tbl_map(function(path)
    return in_case(folder, path)
  end, case.named or {})
  for path, wanted in pairs((case.questions or {}).directoryOf or {}) do
    local got = discover.directory_of(in_case(folder, path), named)
    asked = asked + 1
    if got ~= (wanted ~= vim.NIL and in_case(folder, wanted) or nil) then
      ok(false, ('%s: %s'):format(case.title, path), { got = got, wanted = wanted })
    end
  end
end
ok(asked > 20, ('the shared table: %d questions about where a file belongs'):format(asked))

local home = vim.fs.joinpath(work, 'home')
vim.env.HOME = home
write(vim.fs.joinpath(home, '.git', 'HEAD'), '')
write(vim.fs.joinpath(home, '.claude', '.git', 'HEAD'), '')
write(vim.fs.joinpath(work, 'repository', '.git', 'HEAD'), '')
for directory, wanted in pairs({
  ['plain/.claude/memory'] = 'plain',
  ['plain/.claude/agent-memory/reviewer'] = 'plain',
  ['plain/notes'] = 'plain/notes',
  ['repository/docs/.agents/memory'] = 'repository',
  ['repository/a/b/notes'] = 'repository',
  ['home/.claude/memory'] = 'home/.claude/memory',
  ['home/notes'] = 'home/notes',
  ['home/.claude/projects/-w-quay/memory'] = 'home/.claude/projects/-w-quay/memory',
  ['home/quay/.claude/memory'] = 'home/quay',
}) do
  vim.fn.mkdir(vim.fs.joinpath(work, directory), 'p')
  local got = discover.project_of(vim.fs.joinpath(work, directory))
  equal(got, vim.fs.joinpath(work, wanted), ('the project of %s'):format(directory))
end

spec.finish()
