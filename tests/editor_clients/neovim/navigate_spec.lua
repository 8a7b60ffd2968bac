-- References, highlights, symbols and document links, through the commands and keys that Neovim has for them.
local spec = dofile(vim.fs.joinpath(vim.fs.dirname(arg[0]), 'spec.lua'))
local ok, equal, wait, write = spec.ok, spec.equal, spec.wait, spec.write

local memory = vim.fs.joinpath(spec.work, 'memory')
write(vim.fs.joinpath(memory, 'MEMORY.md'), { '# Index', '', '- [Pilot](harbour-pilot.md) — who steers' })
write(
  vim.fs.joinpath(memory, 'harbour-pilot.md'),
  spec.memory('harbour-pilot', 'Steers.\n\n## Night shift\n\nTwo.\n\n### 冬\n\n`# no heading`')
)
write(
  vim.fs.joinpath(memory, 'tides.md'),
  spec.memory('tides', '😀 漢 [[harbour-pilot]], [[harbour-pilot|him]] 끝\n\n[[nobody]]')
)
write(vim.fs.joinpath(memory, '潮位.md'), spec.memory('潮位', 'Ask [him](harbour-pilot.md#night-shift).'))

vim.lsp.enable('memory_ls')
local tides = spec.open_memory(vim.fs.joinpath(memory, 'tides.md'))
spec.wait_for_codes(tides, { 'link-dead', 'memory-not-indexed' }, 'the directory is read')

-- ---- references, by the key that Neovim maps

---@return string[] each place of the list as file:line:column
local function places(list)
  local found = {}
  for _, item in ipairs(list) do
    local name = vim.fs.basename(item.filename or vim.api.nvim_buf_get_name(item.bufnr))
    table.insert(found, ('%s:%d:%d'):format(name, item.lnum, item.col))
  end
  table.sort(found)
  return found
end

local first = ('😀 漢 [['):len() + 1
local second = ('😀 漢 [[harbour-pilot]], [['):len() + 1
spec.put_cursor('harbour-pilot]]')
vim.api.nvim_feedkeys('grr', 'x', false)
wait('grr opens the quickfix list', function()
  return vim.bo.buftype == 'quickfix'
end)
local listed = places(vim.fn.getqflist())
for _, wanted in ipairs({ 'MEMORY.md:3:', 'tides.md:7:', '潮位.md:7:' }) do
  ok(
    vim.iter(listed):any(function(place)
      return vim.startswith(place, wanted)
    end),
    'with what links to the memory: ' .. wanted,
    listed
  )
end
ok(vim.list_contains(listed, ('tides.md:7:%d'):format(first)), 'at the right column, behind emoji and Chinese', listed)
vim.cmd.cclose()

-- ---- highlights

spec.put_cursor('harbour-pilot]]')
vim.lsp.buf.document_highlight()
local function highlighted()
  local columns = {}
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(tides, -1, 0, -1, { details = true })) do
    if (mark[4].hl_group or ''):match('^LspReference') then
      table.insert(columns, mark[3] + 1)
    end
  end
  return columns
end
wait('both links are highlighted, exactly', function()
  return vim.deep_equal(highlighted(), { first, second })
end, highlighted)
vim.lsp.buf.clear_references()

-- ---- going there

vim.fn.setpos('.', { 0, 7, first, 0 })
vim.cmd('silent! normal! \29')
wait('CTRL-] goes to the memory', function()
  return vim.fs.basename(vim.api.nvim_buf_get_name(0)) == 'harbour-pilot.md'
end)

-- ---- symbols

spec.open_memory(vim.api.nvim_buf_get_name(0))
vim.lsp.buf.document_symbol() -- gO is not this in markdown: there Neovim has a list of headings of its own
wait('the outline is listed', function()
  return vim.fn.getloclist(0, { size = 0 }).size > 0
end)
local outline = table.concat(
  vim.tbl_map(function(item)
    return ('%d %s'):format(item.lnum, item.text)
  end, vim.fn.getloclist(0)),
  '\n'
)
for _, wanted in ipairs({ 'harbour%-pilot', '9 .*Night shift', '13 .*冬' }) do
  ok(outline:match(wanted), ('the outline has %s'):format(wanted), outline)
end
ok(not outline:match('no heading'), 'and no heading that is code', outline)
vim.cmd.lclose()

local symbols
vim.lsp.buf.workspace_symbol('hrbr', {
  on_list = function(list)
    symbols = list.items
  end,
})
wait('the symbols of all memories are searched', function()
  return symbols ~= nil
end)
ok(
  vim.iter(symbols):any(function(item)
    return vim.fs.basename(item.filename) == 'harbour-pilot.md' and item.text:find('harbour%-pilot') ~= nil
  end),
  'by some of their letters',
  symbols
)

-- ---- document links, which Neovim 0.11 asks for only when told to

local client = spec.clients(tides)[1]
local answer = client:request_sync('textDocument/documentLink', { textDocument = { uri = vim.uri_from_bufnr(tides) } })
local links = vim.tbl_map(function(link)
  return { link.range.start.character + 1, vim.fs.basename(link.target) }
end, assert(answer).result)
equal(links, { { first, 'harbour-pilot.md' }, { second, 'harbour-pilot.md' } }, 'live links lead to files, dead ones not')

spec.finish()
