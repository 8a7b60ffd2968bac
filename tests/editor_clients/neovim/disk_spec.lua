-- What agents, git and other programs do on the disk shows without reopening, and what the editor itself writes does
-- not disturb. Neovim watches no files for a server on Linux: the server does it by itself.
local spec = dofile(vim.fs.joinpath(vim.fs.dirname(arg[0]), 'spec.lua'))
local ok, write = spec.ok, spec.write

local function path(...)
  return vim.fs.joinpath(spec.work, ...)
end

-- As spec.wait_for_codes, and soon, as one who looks at the screen expects. On a machine at rest it takes 0.1 s.
local function soon(buffer, codes, name)
  local start = vim.uv.now()
  spec.wait_for_codes(buffer, codes, name)
  local taken = vim.uv.now() - start
  ok(taken < 2000, ('and soon (%d ms)'):format(taken))
end

-- What is to be watched changes with the directories that are served; a watch begins a moment later.
local function settle()
  vim.wait(500)
end

local memory = path('project', '.claude', 'memory')
write(path('project', '.git', 'HEAD'), '')
write(path('project', '.claude', 'memory', 'MEMORY.md'), { '- [Tides](tides.md)', '- [Pilot](pilot.md)' })
write(path('project', '.claude', 'memory', 'tides.md'), spec.memory('tides', '[[pilot]] [[buoy]]'))
write(path('project', '.claude', 'memory', 'pilot.md'), spec.memory('pilot'))

vim.lsp.enable('memory_ls')
local tides = spec.open_memory(vim.fs.joinpath(memory, 'tides.md'))
local index = spec.open_memory(vim.fs.joinpath(memory, 'MEMORY.md'))
spec.wait_for_codes(tides, { 'link-dead' }, 'one link is dead')
settle()

write(vim.fs.joinpath(memory, 'buoy.md'), spec.memory('buoy'))
soon(tides, {}, 'a file that comes brings a dead link to life')
os.remove(vim.fs.joinpath(memory, 'buoy.md'))
soon(tides, { 'link-dead' }, 'and takes it along when it goes')

os.remove(vim.fs.joinpath(memory, 'pilot.md'))
soon(index, { 'index-dead-link' }, 'the index too hears of a deletion')
spec.write_atomically(vim.fs.joinpath(memory, 'pilot.md'), spec.memory('pilot'))
soon(index, {}, 'a file that is put in its place by a rename is there')
write(vim.fs.joinpath(memory, 'pilot.md'), { '---', 'name: helm', 'description: x', 'type: user', '---', '', 'T.' })
assert(vim.uv.fs_rename(vim.fs.joinpath(memory, 'pilot.md'), vim.fs.joinpath(memory, 'helm.md')))
soon(tides, { 'link-dead', 'link-dead' }, 'a file that is renamed is no longer found')
assert(vim.uv.fs_rename(vim.fs.joinpath(memory, 'helm.md'), vim.fs.joinpath(memory, 'pilot.md')))
soon(tides, { 'link-dead' }, 'until it is renamed back')

-- ---- many at once, as a checkout does

for number = 1, 300 do
  write(vim.fs.joinpath(memory, 'many', ('m%d.md'):format(number)), spec.memory('m' .. number))
end
vim.api.nvim_buf_set_lines(tides, -1, -1, false, { '[[m1]] [[m150]] [[m300]] [[m301]]' })
soon(tides, { 'link-dead', 'link-dead' }, 'three hundred new files are all known')
vim.fn.delete(vim.fs.joinpath(memory, 'many'), 'rf')
soon(tides, { 'link-dead', 'link-dead', 'link-dead', 'link-dead', 'link-dead' }, 'and all are gone')
vim.cmd.buffer(tides)
vim.cmd('edit!')
spec.wait_for_codes(tides, { 'link-dead' }, ':edit! takes back what was typed')

-- ---- an open file that is changed under the editor: what is open counts, until it is read again

spec.write_atomically(vim.fs.joinpath(memory, 'tides.md'), spec.memory('tides', '[[pilot]]'))
vim.wait(300)
spec.wait_for_codes(tides, { 'link-dead' }, 'an open text wins over the disk')
vim.o.autoread = true
vim.cmd.checktime()
soon(tides, {}, 'and when Neovim reads the file again, so does the server')

-- ---- how Neovim writes

for _, copy in ipairs({ 'yes', 'no' }) do
  vim.o.backupcopy = copy
  vim.api.nvim_buf_set_lines(tides, -1, -1, false, { '[[gone-' .. copy .. ']]' })
  vim.cmd('silent write')
end
soon(tides, { 'link-dead', 'link-dead' }, ':write in both its ways is followed')
vim.wait(500)
spec.wait_for_codes(tides, { 'link-dead', 'link-dead' }, 'and the news of it from the disk changes nothing')

vim.cmd('silent saveas ' .. vim.fs.joinpath(memory, 'ebb.md'))
spec.wait_for_codes(
  vim.api.nvim_get_current_buf(),
  { 'duplicate-name', 'link-dead', 'link-dead', 'memory-not-indexed', 'near-duplicate' },
  ':saveas makes a second memory of the same name'
)
vim.cmd.bwipeout()
os.remove(vim.fs.joinpath(memory, 'ebb.md'))
tides = spec.open_memory(vim.fs.joinpath(memory, 'tides.md'))
spec.wait_for_codes(tides, { 'link-dead', 'link-dead' }, 'and when that is gone, the first is alone again')

-- ---- a memory directory outside of the project, and one that comes into being

write(path('elsewhere', 'memory', 'MEMORY.md'), { '- [Lost](lost.md)' })
local elsewhere = spec.open_memory(path('elsewhere', 'memory', 'MEMORY.md'))
spec.wait_for_codes(elsewhere, { 'index-dead-link' }, 'a directory outside of the project is served')
settle()
write(path('elsewhere', 'memory', 'lost.md'), spec.memory('lost'))
soon(elsewhere, {}, 'and watched')

write(path('project', '.agents', 'memory', 'first.md'), spec.memory('first', '[[nowhere]]'))
spec.wait('a memory directory that comes into the project is found', function()
  local buffer = vim.fn.bufnr(path('project', '.agents', 'memory', 'first.md'))
  return buffer > 0 and vim.deep_equal(spec.codes(buffer), { 'link-dead' })
end)
settle()

-- ---- settings on the disk, and settings that are changed while the server runs

write(path('project', '.memory-ls.toml'), { '[rules]', 'link-dead = "off"' })
soon(tides, {}, 'a settings file that comes counts')
os.remove(path('project', '.memory-ls.toml'))
soon(tides, { 'link-dead', 'link-dead' }, 'and no longer when it goes')
local client = spec.clients(tides)[1]
client.settings = { memoryLs = { rules = { ['link-dead'] = 'off' } } }
client:notify('workspace/didChangeConfiguration', { settings = client.settings })
soon(tides, {}, 'settings that are changed in Neovim count at once')

spec.finish()
