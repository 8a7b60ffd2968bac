-- Code actions: quick fixes at the cursor, all that is safe, a memory for a dead link, merging, extracting, and links
-- that follow a memory which another program moved.
local spec = dofile(vim.fs.joinpath(vim.fs.dirname(arg[0]), 'spec.lua'))
local ok, equal, wait, write = spec.ok, spec.equal, spec.wait, spec.write

local memory = vim.fs.joinpath(spec.work, 'memory')
local function path(name)
  return vim.fs.joinpath(memory, name)
end
local function read(name)
  local file = io.open(path(name), 'rb')
  local text = file and file:read('a')
  if file then
    file:close()
  end
  return text
end

local alike = 'The ferry leaves the north quay at six every morning, and the captain wants the tide tables on board.'
write(path('MEMORY.md'), { '# Index', '', '- [ferry](ferry.md)', '- [boat](boat.md)', '- [tide](tide.md)' })
write(path('ferry.md'), spec.memory('ferry', alike))
write(path('boat.md'), spec.memory('boat', alike))
write(
  path('tide.md'),
  { '---', 'name: tide', 'description: Use when: low', 'type: reference', '---', '', '漢 [[fery]] [[ferry]] [[boat]]', '[[buoy]]' }
)

vim.lsp.enable('memory_ls')
local tide = spec.open_memory(path('tide.md'))
spec.wait_for_codes(tide, { 'frontmatter-invalid', 'link-dead', 'link-dead' }, 'three things are wrong')

local told
vim.notify = function(message)
  told = message
end

-- Chooses the one action at the cursor whose title has `title`, as the list of vim.ui.select would let one.
local function act(title, options)
  local chosen = 0
  vim.lsp.buf.code_action(vim.tbl_extend('force', {
    apply = true,
    filter = function(action)
      local is_it = action.title:find(title, 1, true) ~= nil
      chosen = chosen + (is_it and 1 or 0)
      return is_it
    end,
  }, options or {}))
  wait(('there is an action "%s"'):format(title), function()
    return chosen > 0
  end, function()
    return told
  end)
end
local function line(number)
  return vim.api.nvim_buf_get_lines(0, number - 1, number, false)[1]
end

-- ---- quick fixes

spec.put_cursor('Use when')
act('quote')
wait('the most common fault is mended', function()
  return line(3) == 'description: "Use when: low"' or line(3) == "description: 'Use when: low'"
end, function()
  return line(3)
end)
vim.cmd('silent undo')
equal(line(3), 'description: Use when: low', 'and one undo takes it back')
vim.cmd('silent redo')
spec.put_cursor('fery')
act('`ferry`')
wait('a link that was meant otherwise is mended, behind Chinese', function()
  return line(7) == '漢 [[ferry]] [[ferry]] [[boat]]'
end, function()
  return line(7)
end)

spec.put_cursor('buoy')
act('Create the memory')
wait('a memory for a dead link is made, in a buffer', function()
  return vim.fn.bufnr(path('buoy.md')) > 0
end)
vim.cmd('silent wall')
ok(read('buoy.md'):find('\nname: buoy\n', 1, true), 'with its frontmatter', read('buoy.md'))
ok(read('MEMORY.md'):find('(buoy.md)', 1, true), 'and its entry', read('MEMORY.md'))
vim.cmd.buffer(tide)
spec.wait_for_codes(tide, {}, 'nothing is wrong any more')

-- ---- two that say the same

local ferry = spec.open_memory(path('ferry.md'))
wait('the twin is found', function()
  return vim.list_contains(spec.codes(ferry), 'near-duplicate')
end)
spec.put_cursor('ferry')
act('Merge `boat.md`')
wait('it is gone', function()
  return read('boat.md') == nil
end)
vim.cmd('silent wall')
equal(read('tide.md'):find('[[ferry]] [[ferry]] [[ferry]]', 1, true) ~= nil, true, 'what led to it leads to the other')
ok(not read('MEMORY.md'):find('boat', 1, true), 'its entry is gone', read('MEMORY.md'))

-- ---- a part of a text

vim.cmd.buffer(ferry)
vim.api.nvim_buf_set_lines(ferry, -1, -1, false, { '', 'Ropes: 漢 are kept below the bridge.', '', 'End.' })
local last = vim.api.nvim_buf_line_count(ferry)
act('Extract the selection', { range = { start = { last - 2, 0 }, ['end'] = { last - 2, 100 } } })
wait('a selection becomes a memory, and a link stands there', function()
  return (line(last - 2) or ''):match('^%[%[.*%]%]$') ~= nil
end, function()
  return line(last - 2)
end)
vim.cmd('silent wall')
local name = line(last - 2):match('^%[%[(.*)%]%]$')
ok(read(name .. '.md'):find('Ropes: 漢 are kept below the bridge.', 1, true), 'word for word', name)

-- ---- what another program moved

vim.cmd.buffer(tide)
vim.cmd.bwipeout(vim.fn.bufnr(path('buoy.md'))) -- what is open counts as there
write(path('buoy.md'), spec.memory('buoy', 'Red, three metres.'))
vim.wait(500)
assert(vim.uv.fs_rename(path('buoy.md'), path('sea-mark.md')))
write(path('sea-mark.md'), (read('sea-mark.md'):gsub('name: buoy', 'name: sea-mark')))
spec.wait_for_codes(tide, { 'link-dead' }, 'a link is dead since its memory was moved')
spec.put_cursor('buoy')
act('follow it to `sea-mark.md`')
wait('and follows it', function()
  return line(8) == '[[sea-mark]]'
end, function()
  return line(8)
end)

spec.finish()
