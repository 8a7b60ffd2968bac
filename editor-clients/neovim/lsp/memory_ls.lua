-- memory-ls for Neovim 0.11 and newer: put this folder on the runtime path and call vim.lsp.enable('memory_ls').
-- Change what is below with vim.lsp.config('memory_ls', { … }), settings go into init_options.
local discover = require('memory_ls.discover')

---@type vim.lsp.Config
return {
  cmd = { 'memory-ls', 'serve' },
  filetypes = { 'markdown' },
  -- Only files in a memory directory get a server: no call of on_dir, no client.
  root_dir = function(buffer, on_dir)
    local file = vim.api.nvim_buf_get_name(buffer)
    if file == '' or file:match('^%a[%w+.-]+://') then
      return
    end
    local options = (vim.lsp.config.memory_ls or {}).init_options or {}
    local directory = discover.directory_of(file, options.directories)
    if directory then
      on_dir(directory)
    end
  end,
  -- One server serves every memory directory, also those outside of the project.
  reuse_client = function(client, config)
    return client.name == config.name
  end,
}
