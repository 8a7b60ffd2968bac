-- Drives the client for Neovim through Neovim's own language client, as a user's editor does.
-- usage: nvim --clean --headless -l neovim_spec.lua CLIENT_FOLDER WORK_FOLDER CASES.json
-- WORK_FOLDER is empty; CASES.json is the table of discovery. Ends with 'N passed, 0 failed' or exits 1.
local client_folder, work, cases_file = arg[1], arg[2], arg[3]
assert(client_folder and work and cases_file, 'usage: neovim_spec.lua CLIENT_FOLDER WORK_FOLDER CASES.json')

local passed = 0

local function ok(condition, name, detail)
  if not condition then
    io.stdout:write(('not ok - %s %s\n'):format(name, detail ~= nil and vim.inspect(detail) or ''))
    os.exit(1)
  end
  passed = passed + 1
  io.stdout:write(('ok %d - %s\n'):format(passed, name))
end

local function equal(got, wanted, name)
  ok(vim.deep_equal(got, wanted), name, { got = got, wanted = wanted })
end

local function wait(name, condition)
  ok(vim.wait(20000, condition, 20), name)
end

local function write(path, text)
  vim.fn.mkdir(vim.fs.dirname(path), 'p')
  local file = assert(io.open(path, 'wb'))
  file:write(text)
  file:close()
end

-- ---- discovery, by the table that all clients share

vim.opt.runtimepath:prepend(client_folder)
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

-- ---- a project with a memory directory and a markdown file outside of it

local memory = vim.fs.joinpath(work, 'project', '.claude', 'memory')
local index_lines = { '# Memory Index', '', '- [Harbour pilot](harbour-pilot.md) — who steers', '- [潮位](tide-table.md) — 水位' }
write(vim.fs.joinpath(memory, 'MEMORY.md'), table.concat(index_lines, '\n') .. '\n')
write(
  vim.fs.joinpath(memory, 'harbour-pilot.md'),
  '---\nname: harbour-pilot\ndescription: who steers\ntype: user\n---\n\nSteers by hand.\n\n## Night shift\n\nTwo pilots.\n'
)
local tide_lines = {
  '---',
  'name: tide-table',
  'description: 水位',
  'type: reference',
  '---',
  '',
  '😀 é 漢 [[missing-pilot]] 끝',
  '',
  'Ask [[harbour-pilot]] or [him](harbour-pilot.md#night-shift).',
  '',
}
write(vim.fs.joinpath(memory, 'tide-table.md'), table.concat(tide_lines, '\n') .. '\n')
write(vim.fs.joinpath(work, 'project', 'README.md'), '# A project\n\n[[missing-pilot]]\n')

-- This is all that a user writes.
vim.lsp.enable('memory_ls')

local function open(path)
  vim.cmd.edit(vim.fn.fnameescape(path))
  vim.bo.filetype = 'markdown' -- with -l no filetype is found; setting it fires the event that starts clients
  return vim.api.nvim_get_current_buf()
end

local function clients(buffer)
  return vim.lsp.get_clients({ bufnr = buffer, name = 'memory_ls' })
end

local readme = open(vim.fs.joinpath(work, 'project', 'README.md'))
local tide = open(vim.fs.joinpath(memory, 'tide-table.md'))
wait('the client attaches to a memory', function()
  return #clients(tide) == 1 and clients(tide)[1].initialized
end)
local client = clients(tide)[1]
equal(#clients(readme), 0, 'and not to a markdown file outside of every memory directory')
equal(client.root_dir, memory, 'its root is the memory directory')
equal(client.server_info.name, 'memory-ls', 'the server tells its name')
equal(client.offset_encoding, 'utf-8', 'positions are counted in bytes, as Neovim asks')

-- ---- diagnostics

wait('diagnostics arrive', function()
  return #vim.diagnostic.get(tide) == 1
end)
local finding = vim.diagnostic.get(tide)[1]
local target = '[[missing-pilot]]'
local start = assert(tide_lines[7]:find(target, 1, true)) + 1
equal(
  { finding.lnum, finding.col, finding.end_col },
  { 6, start, start + #'missing-pilot' },
  'a dead link is underlined exactly, behind emoji and Chinese'
)
equal(
  { finding.code, finding.severity, finding.source },
  { 'link-dead', vim.diagnostic.severity.WARN, 'memory-ls' },
  'with its code, severity and source'
)
ok(finding.message:find('missing-pilot', 1, true), 'and a message that names it', finding.message)

-- ---- completion, through the editor's own omnifunc

equal(vim.bo[tide].omnifunc, 'v:lua.vim.lsp.omnifunc', 'completion is wired to omnifunc')
vim.api.nvim_buf_set_lines(tide, 9, 10, false, { '漢 [[harb' })
vim.api.nvim_win_set_cursor(0, { 10, 0 })
local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
params.position.character = #'漢 [[harb' -- where insert mode would have the cursor
local answer = client:request_sync('textDocument/completion', params, 10000, tide)
ok(answer and answer.result, 'completion answers', answer)
local item = (answer.result.items or answer.result)[1]
equal(
  { item.label, item.textEdit.newText, item.textEdit.range.start.character, item.textEdit.range['end'].character },
  { 'harbour-pilot', 'harbour-pilot]]', #'漢 [[', #'漢 [[harb' },
  'a name is offered behind [[, at the right place behind Chinese'
)
local resolved = client:request_sync('completionItem/resolve', item, 10000, tide)
ok(resolved.result.documentation.value:find('Steers by hand', 1, true), 'resolve shows the memory', resolved)
vim.lsp.util.apply_text_edits({ item.textEdit }, tide, client.offset_encoding)
equal(vim.api.nvim_buf_get_lines(tide, 9, 10, false), { '漢 [[harbour-pilot]]' }, 'chosen, the whole link stands there')

-- ---- hover, in its floating window

local function floating_text()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= '' then
      local text = table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false), '\n')
      return text, window
    end
  end
end

vim.api.nvim_win_set_cursor(0, { 9, (tide_lines[9]:find('harbour', 1, true)) })
vim.lsp.buf.hover()
wait('hover opens a window with the memory', function()
  local text = floating_text()
  return text ~= nil and text:find('harbour-pilot', 1, true) ~= nil and text:find('Two pilots', 1, true) ~= nil
end)
local _, window = floating_text()
vim.api.nvim_win_close(window, true)

-- ---- definition

vim.api.nvim_win_set_cursor(0, { 9, (tide_lines[9]:find('harbour', 1, true)) })
vim.lsp.buf.definition()
wait('definition goes to the memory', function()
  return vim.api.nvim_buf_get_name(0) == vim.fs.joinpath(memory, 'harbour-pilot.md')
end)
vim.cmd.buffer(tide)
vim.api.nvim_win_set_cursor(0, { 9, (tide_lines[9]:find('#night', 1, true)) })
vim.lsp.buf.definition()
wait('and to the heading that a path names', function()
  return vim.api.nvim_buf_get_name(0) == vim.fs.joinpath(memory, 'harbour-pilot.md')
    and vim.api.nvim_win_get_cursor(0)[1] == 9
end)

-- ---- edits

vim.cmd.buffer(tide)
vim.api.nvim_buf_set_lines(tide, 6, 7, false, { '😀 é 漢 [[harbour-pilot]] 끝' })
wait('a mended link loses its finding', function()
  return #vim.diagnostic.get(tide) == 0
end)
local pilot = open(vim.fs.joinpath(memory, 'harbour-pilot.md'))
vim.api.nvim_buf_set_lines(pilot, 1, 2, false, { 'name: harbour-master' })
vim.cmd.buffer(tide)
vim.api.nvim_buf_set_lines(tide, 6, 7, false, { '[[harbour-master]]' })
wait('a name that is only in an unsaved buffer is known', function()
  return #vim.diagnostic.get(tide) == 0
end)

local index = open(vim.fs.joinpath(memory, 'MEMORY.md'))
vim.api.nvim_buf_set_lines(index, -1, -1, false, { '- [Gone](gone.md) — away' })
wait('a dead link in the index is an error', function()
  local found = vim.diagnostic.get(index)
  return #found == 1 and found[1].code == 'index-dead-link' and found[1].severity == vim.diagnostic.severity.ERROR
end)

-- ---- one server for every directory

local other = vim.fs.joinpath(work, 'elsewhere', 'memory')
write(vim.fs.joinpath(other, 'MEMORY.md'), '- [Lost](lost.md)\n')
local elsewhere = open(vim.fs.joinpath(other, 'MEMORY.md'))
wait('a directory outside of the project is served too', function()
  return #clients(elsewhere) == 1 and #vim.diagnostic.get(elsewhere) == 1
end)
equal(clients(elsewhere)[1].id, client.id, 'by the same server')

client:stop()
wait('the server stops', function()
  return client:is_stopped()
end)
io.stdout:write(('%d passed, 0 failed\n'):format(passed))
os.exit(0)
