-- What a user sees whose init.lua holds what the README says, in a memory directory with a dead link in its index.
local function is_loaded()
  return package.loaded['memory_ls.commands'] ~= nil
end

vim.wait(20000, function()
  return #vim.diagnostic.get(0) > 0
end, 20)
for _, finding in ipairs(vim.diagnostic.get(0)) do
  io.stdout:write(finding.code, '\n')
end
local was_loaded = is_loaded()
vim.cmd('Memory cancel')
if is_loaded() and not was_loaded then
  io.stdout:write('memory_ls.commands is loaded by :Memory\n')
end
vim.cmd('qall!')
