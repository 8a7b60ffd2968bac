-- The settings of editor-clients/try: the client, findings shown beside their lines, and a line of help on top.
vim.opt.runtimepath:prepend(vim.g.memory_ls_client)
pcall(vim.cmd.helptags, vim.g.memory_ls_client .. '/doc') -- for :help memory-ls, where it can be written
vim.o.number = true
vim.o.signcolumn = 'yes'
vim.o.completeopt = 'menuone,noselect,popup'
vim.o.linebreak = true
vim.o.showtabline = 2
vim.o.tabline = 'K show · CTRL-] go · grr links here · gl lens · gO outline · ]d next · :Memory · :qa leave%<'
vim.diagnostic.config({ virtual_text = { current_line = true }, severity_sort = true })
vim.lsp.enable('memory_ls')

vim.api.nvim_create_autocmd('LspAttach', {
  callback = function(args)
    vim.lsp.completion.enable(true, args.data.client_id, args.buf, { autotrigger = true })
    vim.keymap.set('n', 'gd', vim.lsp.buf.definition, { buffer = args.buf })
    vim.keymap.set('n', 'gl', vim.lsp.codelens.run, { buffer = args.buf, desc = 'List what a code lens counts' })
    vim.keymap.set('n', '<leader>d', vim.diagnostic.setloclist, { buffer = args.buf })
    vim.keymap.set('n', '<leader>s', vim.lsp.buf.workspace_symbol, { buffer = args.buf })
  end,
})
