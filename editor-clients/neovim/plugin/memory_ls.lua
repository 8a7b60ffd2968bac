-- :Memory, from any buffer. What it does is loaded when it runs.
vim.api.nvim_create_user_command('Memory', function(given)
  require('memory_ls.commands').run(given)
end, {
  nargs = '*',
  bang = true,
  range = true,
  complete = function(...)
    return require('memory_ls.commands').complete(...)
  end,
  desc = 'Memories of coding agents: see :help memory-ls',
})
