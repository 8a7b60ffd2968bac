-- Code lenses and inlay hints as they stand on the screen, without any configuration, and turned off.
local spec = dofile(vim.fs.joinpath(vim.fs.dirname(arg[0]), 'spec.lua'))
local ok, equal, wait, write = spec.ok, spec.equal, spec.wait, spec.write

local memory = vim.fs.joinpath(spec.work, 'memory')
write(vim.fs.joinpath(memory, 'MEMORY.md'), { '- [[潮位]]', '- [Quay](quay.md) — where ships land' })
write(vim.fs.joinpath(memory, 'quay.md'), spec.memory('quay', 'See [[潮位]] and [[潮位#冬]].\n\n- [[潮位]] 🌊'))
write(vim.fs.joinpath(memory, '潮位.md'), spec.memory('潮位', 'Water.\n\n## 冬\n\nLow.'))

vim.lsp.enable('memory_ls')

---@return string[] the lines of the screen, as they are shown
local function screen()
  vim.cmd('redraw!')
  local lines = {}
  for row = 1, vim.o.lines do
    local cells = {}
    for column = 1, vim.o.columns do
      table.insert(cells, vim.fn.screenstring(row, column))
    end
    lines[row] = (table.concat(cells):gsub('%s+$', ''))
  end
  return lines
end

local function shows(text)
  wait(('the screen shows: %s'):format(text), function()
    return vim.iter(screen()):any(function(line)
      return line:find(text, 1, true) ~= nil
    end)
  end, screen)
end

-- Neovim 0.11 shows a lens behind its line, and 0.12 above it.
local function lens_of(line)
  local behind = vim.pesc(line) .. ' (%d+ references?)$'
  for number, text in ipairs(screen()) do
    local above = vim.startswith(text, line) and screen()[number - 1]
    local found = text:match(behind) or above and above:match('^%d+ references?$')
    if found then
      return found
    end
  end
end

local function shows_lens(line, lens)
  wait(('the screen shows: %s %s'):format(line, lens), function()
    return lens_of(line) == lens
  end, screen)
end

-- ---- as a file is opened

local tides, client = spec.open_memory(vim.fs.joinpath(memory, '潮位.md'))
shows_lens('name: 潮位', '4 references')
shows_lens('## 冬', '1 reference')

-- ---- the references that a lens counts

spec.put_cursor('name: ')
vim.lsp.codelens.run()
wait('a lens that is run opens the quickfix list', function()
  return vim.bo.buftype == 'quickfix'
end)
local list = vim.fn.getqflist({ title = 1, items = 1 })
equal({ list.title, #list.items }, { '4 references', 4 }, 'with what it counts')
equal(vim.fs.basename(vim.api.nvim_buf_get_name(list.items[1].bufnr)), 'MEMORY.md', 'the places are files')
vim.cmd.cclose()
shows_lens('name: 潮位', '4 references')

-- ---- the counts follow

local quay = spec.open_memory(vim.fs.joinpath(memory, 'quay.md'))
shows_lens('name: quay', '1 reference')
shows('- [[潮位]] 🌊 about 潮位')
vim.api.nvim_buf_set_lines(quay, 6, 7, false, { 'Nothing.' })
vim.cmd.buffer(tides)
shows_lens('name: 潮位', '2 references')
equal(lens_of('## 冬'), nil, 'a heading that nothing links to has no lens')

vim.cmd.buffer(quay)
vim.api.nvim_buf_set_lines(tides, 2, 3, false, { 'description: tides of the quay' })
shows('- [[潮位]] 🌊 tides of the quay')

local index = spec.open_memory(vim.fs.joinpath(memory, 'MEMORY.md'))
shows('- [[潮位]] tides of the quay')
vim.api.nvim_buf_set_lines(index, 0, 1, false, { '', '- [[潮位]]' })
shows('- [[潮位]] tides of the quay')

-- ---- turned off

vim.g.memory_ls = { code_lens = false, inlay_hints = false }
write(vim.fs.joinpath(memory, 'quiet.md'), spec.memory('quiet', '- [[潮位]]\n- [[nowhere]]'))
local quiet = spec.open_memory(vim.fs.joinpath(memory, 'quiet.md'))
spec.wait_for_codes(quiet, { 'link-dead', 'memory-not-indexed' }, 'with both turned off there are findings')
vim.api.nvim_exec_autocmds('BufEnter', { buffer = quiet })
vim.wait(300)
local shown = table.concat(screen(), '\n')
ok(shown:find('- [[潮位]]\n', 1, true) and not shown:find('reference', 1, true), 'and nothing else', shown)
equal(spec.clients(quiet)[1].id, client.id, 'from the same server')

-- ---- when the server is gone, so are they

client:stop()
wait('the server stops', function()
  return client:is_stopped() and #spec.clients(tides) == 0
end)
vim.cmd.buffer(tides)
vim.wait(200)
ok(not table.concat(screen(), '\n'):find('reference', 1, true), 'a server that stopped leaves nothing on the screen')

spec.finish()
