-- Attaching, diagnostics, completion, hover, definition and edits. See spec.lua for how to run it.
local spec = dofile(vim.fs.joinpath(vim.fs.dirname(arg[0]), 'spec.lua'))
local ok, equal, wait, write, open, clients = spec.ok, spec.equal, spec.wait, spec.write, spec.open, spec.clients
local work = spec.work

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

local readme = open(vim.fs.joinpath(work, 'project', 'README.md'))
local tide = open(vim.fs.joinpath(memory, 'tide-table.md'))
wait('the client attaches to a memory', function()
  return #clients(tide) == 1 and clients(tide)[1].initialized
end)
local client = clients(tide)[1]
equal(#clients(readme), 0, 'and not to a markdown file outside of every memory directory')
equal(client.root_dir, vim.fs.joinpath(work, 'project'), 'its root is the project')
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

spec.finish()
