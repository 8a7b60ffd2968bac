-- Several memory directories: outside of the project, behind symbolic links, named by the settings, or yet to be.
local spec = dofile(vim.fs.joinpath(vim.fs.dirname(arg[0]), 'spec.lua'))
local equal, write, work = spec.equal, spec.write, spec.work

local function path(...)
  return vim.fs.joinpath(work, ...)
end

write(path('project', '.memory-ls.toml'), { '[rules]', 'body-empty = "off"' })
write(path('project', '.git', 'HEAD'), '')
write(path('project', '.claude', 'memory', 'MEMORY.md'), { '- [Quay](quay.md)' })
write(path('project', '.claude', 'memory', 'quay.md'), spec.memory('quay', ''))
write(path('project', '.claude', 'agent-memory', 'reviewer', 'crane.md'), spec.memory('crane', '[[missing]]'))
write(path('elsewhere', 'memory', 'MEMORY.md'), { '- [Lost](lost.md)' })
write(path('named', 'tide.md'), spec.memory('tide', '[[missing]]'))
write(path('named-later', 'ebb.md'), spec.memory('ebb', '[[missing]]'))
vim.uv.fs_symlink(path('elsewhere', 'memory'), path('linked'))
vim.uv.fs_symlink(path('named', 'tide.md'), path('one-tide.md'))
vim.uv.fs_symlink(path('named'), path('also-named'))

-- What users write of their own keeps what the client needs.
local attached = {}
vim.lsp.config('memory_ls', {
  init_options = { directories = { path('also-named') } },
  settings = { memoryLs = { directories = { path('named-later'), path('named') } } },
  on_attach = function(_, buffer)
    attached[buffer] = true
  end,
})
vim.lsp.enable('memory_ls')

local quay, client = spec.open_memory(path('project', '.claude', 'memory', 'quay.md'))
equal(client.config.init_options.showReferences, true, "the user's options do not replace those of the client")
equal(attached[quay], true, "nor does the client replace the user's on_attach")

local elsewhere, second = spec.open_memory(path('elsewhere', 'memory', 'MEMORY.md'))
equal(second.id, client.id, 'one server serves every directory')
spec.wait_for_codes(elsewhere, { 'index-dead-link' }, 'also one outside of the project')
equal(spec.codes(quay), {}, 'the settings file of the project counts')

local linked = spec.open_memory(path('linked', 'MEMORY.md'))
spec.wait_for_codes(linked, { 'index-dead-link' }, 'a symbolic link to a directory is one too')

local tide = spec.open_memory(path('named', 'tide.md'))
spec.wait_for_codes(tide, { 'link-dead' }, 'a directory is named by a symbolic link to it')
vim.cmd.bwipeout(tide)
local one = spec.open_memory(path('one-tide.md'))
spec.wait_for_codes(one, { 'link-dead' }, 'a symbolic link to a memory is that memory')

local fresh = spec.open_memory(path('fresh', '.agents', 'memory', 'first.md'))
vim.api.nvim_buf_set_lines(fresh, 0, -1, false, spec.memory('first', '[[missing]]'))
spec.wait_for_codes(fresh, { 'link-dead' }, 'the first memory of a directory that is yet to be is looked at')

local home = spec.open_memory(path('home', '.claude', 'projects', '-w-quay', 'memory', 'note.md'))
vim.api.nvim_buf_set_lines(home, 0, -1, false, spec.memory('note', '[[missing]]'))
spec.wait_for_codes(home, { 'link-dead' }, "and one in the agent's home")

for _, other in ipairs({ 'oil:///tmp/memory/x.md', path('project', 'README.md'), path('plain', 'notes.md') }) do
  local buffer = spec.open(other)
  vim.wait(100)
  equal(#spec.clients(buffer), 0, ('no client for %s'):format(vim.fs.basename(other)))
end
equal(#vim.lsp.get_clients(), 1, 'there is one server at the end')

spec.finish()
