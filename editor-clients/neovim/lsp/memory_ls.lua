-- memory-ls for Neovim 0.11 and newer: put this folder on the runtime path and call vim.lsp.enable('memory_ls').
-- Change what is below with vim.lsp.config('memory_ls', { … }); :checkhealth memory_ls tells what is in use.
local discover = require('memory_ls.discover')
local attach = require('memory_ls.attach') -- not as an on_attach here, which one of the user's would replace

---@type vim.lsp.Config
return {
  cmd = { 'memory-ls', 'serve' },
  filetypes = { 'markdown' },
  -- Only files in a memory directory get a server: no call of on_dir, no client.
  root_dir = function(buffer, on_dir)
    local directory = discover.of_buffer(buffer)
    if directory then
      on_dir(discover.project_of(directory))
    end
  end,
  -- One server serves every memory directory, also those outside of the project.
  reuse_client = function(client, config)
    if client.name ~= config.name or client:is_stopped() then
      return false
    end
    attach.add_folder(client, config.root_dir)
    return true
  end,
  -- What the server offers only to clients that know what to do with it.
  init_options = { showReferences = true },
  commands = { ['memoryLs.ui.showReferences'] = attach.show_references },
  capabilities = attach.capabilities,
  handlers = attach.handlers,
}
