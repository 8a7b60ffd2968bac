-- Rename: a memory with its file, name, links and entry in one step; a heading; and what can't be.
local spec = dofile(vim.fs.joinpath(vim.fs.dirname(arg[0]), 'spec.lua'))
local ok, equal, wait, write = spec.ok, spec.equal, spec.wait, spec.write

local memory = vim.fs.joinpath(spec.work, 'memory')
local function path(name)
  return vim.fs.joinpath(memory, name)
end
local function read(name)
  local file = io.open(path(name), 'rb')
  if file == nil then
    return nil
  end
  local text = file:read('a')
  file:close()
  return text
end
local function text_of(buffer)
  return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n') .. '\n'
end

write(path('MEMORY.md'), { '# Index', '', '- [ferry](ferry.md) — the boat', '- [潮位](潮位.md) — 水位', '- [rota](rota.md)' })
write(path('ferry.md'), spec.memory('ferry', 'At six. [[#Why 漢]]\n\n## Why 漢\n\nTides.'))
write(path('潮位.md'), spec.memory('潮位', '😀 漢 [[ferry#Why 漢|boat]], [t](./ferry.md#why-漢) 끝'))
write(path('rota.md'), '---\r\nname: rota\r\ndescription: who\r\ntype: project\r\n---\r\n\r\n[[ferry]] `[[ferry]]`\r\n')

vim.lsp.enable('memory_ls')
local tide = spec.open_memory(path('潮位.md'))
spec.wait_for_codes(tide, {}, 'nothing is wrong')

-- Answers the next question for a new name, and keeps what stood in the box.
local asked
local function answer(new)
  asked = nil
  vim.ui.input = function(options, callback)
    asked = options.default
    callback(new)
  end
end
local told
vim.notify = function(message)
  told = message
end

-- ---- where is nothing to rename

spec.put_cursor('끝')
answer('nothing')
vim.lsp.buf.rename()
wait('it is told where nothing can be renamed', function()
  return told ~= nil
end)
equal(asked, nil, 'and no name is asked for')
told = nil

-- ---- a name that can't be

spec.put_cursor('ferry#')
answer('ro/ta')
vim.lsp.buf.rename()
wait('a name that can not be is refused', function()
  return told ~= nil
end)
equal(asked, 'ferry', 'the name of the linked memory stands in the box')
ok(told:find('path separator', 1, true), 'with the reason', told)
answer('rota')
told = nil
vim.lsp.buf.rename()
wait('and one that another memory has', function()
  return told ~= nil and told:find('already', 1, true) ~= nil
end)
ok(read('ferry.md') ~= nil, 'nothing happened on the disk')
equal(vim.bo[tide].modified, false, 'nor in the buffer')

-- ---- a memory, from a link to it

told = nil
answer('night-boat')
vim.lsp.buf.rename()
wait('the file is renamed at once', function()
  return read('night-boat.md') ~= nil and read('ferry.md') == nil
end, function()
  return told
end)
local line = vim.api.nvim_buf_get_lines(tide, 6, 7, false)[1]
equal(line, '😀 漢 [[night-boat#Why 漢|boat]], [t](./night-boat.md#why-漢) 끝', 'links change behind emoji and Chinese')
local index = vim.fn.bufnr(path('MEMORY.md'))
local boat = vim.fn.bufnr(path('night-boat.md'))
ok(index > 0 and boat > 0, 'what else changed is in buffers')
equal(
  vim.api.nvim_buf_get_lines(index, 2, 3, false),
  { '- [night-boat](night-boat.md) — the boat' },
  'the entry has the new label and path'
)
equal(vim.api.nvim_buf_get_lines(boat, 1, 2, false), { 'name: night-boat' }, 'the memory has the new name')
vim.cmd('silent wall')
ok(read('night-boat.md'):find('\nname: night-boat\n', 1, true), 'all is on the disk', read('night-boat.md'))
equal(
  read('rota.md'),
  '---\r\nname: rota\r\ndescription: who\r\ntype: project\r\n---\r\n\r\n[[night-boat]] `[[ferry]]`\r\n',
  'line ends stay, and so does code'
)
ok(read('MEMORY.md'):find('(night-boat.md)', 1, true), 'and the index')
vim.wait(300)
spec.wait_for_codes(tide, {}, 'nothing is wrong afterwards')

-- ---- undo takes back what is text; the file keeps its name, as everywhere in Neovim

vim.cmd.buffer(index)
vim.cmd('silent undo')
equal(vim.api.nvim_buf_get_lines(index, 2, 3, false), { '- [ferry](ferry.md) — the boat' }, 'one undo takes back a text')
vim.cmd('silent redo')
vim.cmd('silent wall')

-- ---- back again, from the name itself

vim.cmd.buffer(boat)
spec.open_memory(path('night-boat.md'))
spec.put_cursor('night-boat')
answer('ferry')
vim.lsp.buf.rename()
wait('it is renamed back', function()
  return read('ferry.md') ~= nil and read('night-boat.md') == nil
end)
vim.cmd('silent wall')
equal(read('潮位.md'):find('[[ferry#Why 漢|boat]], [t](./ferry.md#why-漢)', 1, true) ~= nil, true, 'with its links')
equal(text_of(index), '# Index\n\n- [ferry](ferry.md) — the boat\n- [潮位](潮位.md) — 水位\n- [rota](rota.md)\n', 'and its entry')

-- ---- a heading, from an anchor

vim.cmd.buffer(tide)
spec.put_cursor('#why-漢', 1)
answer('How 漢')
vim.lsp.buf.rename()
wait('a heading is renamed with its anchors', function()
  local now = vim.api.nvim_buf_get_lines(tide, 6, 7, false)[1]
  return now == '😀 漢 [[ferry#How 漢|boat]], [t](./ferry.md#how-漢) 끝'
end)
equal(asked, 'Why 漢', 'its words stand in the box')
vim.cmd('silent wall')
ok(read('ferry.md'):find('[[#How 漢]]\n\n## How 漢\n', 1, true), 'also those in its own file', read('ferry.md'))

spec.finish()
