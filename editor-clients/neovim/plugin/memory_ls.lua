-- The commands of the client, from any buffer; what they do is loaded when they run.
vim.api.nvim_create_user_command('MemoryConsolidate', function(given)
  local commands = require('memory_ls.consolidate')
  if given.bang then
    commands.cancel()
  else
    commands.consolidate(given.args ~= '' and given.args or nil)
  end
end, { nargs = '?', bang = true, complete = 'file', desc = 'Review what a chat log holds that is worth remembering' })

vim.api.nvim_create_user_command('MemoryUndo', function()
  require('memory_ls.consolidate').undo()
end, { desc = 'Take back what was changed last in the memories' })
