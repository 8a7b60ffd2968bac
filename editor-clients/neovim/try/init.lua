-- The settings of editor-clients/try: the client, findings shown beside their lines, and a line of help.
vim.opt.runtimepath:prepend(vim.g.memory_ls_client)
vim.o.number = true
vim.o.signcolumn = 'yes'
vim.o.completeopt = 'menuone,noselect,popup'
vim.diagnostic.config({ virtual_text = { current_line = true }, severity_sort = true })
vim.lsp.enable('memory_ls')

vim.api.nvim_create_autocmd('LspAttach', {
  callback = function(args)
    vim.lsp.completion.enable(true, args.data.client_id, args.buf, { autotrigger = true })
    vim.keymap.set('n', 'gd', vim.lsp.buf.definition, { buffer = args.buf })
    vim.keymap.set('n', '<leader>d', vim.diagnostic.setloclist, { buffer = args.buf })
    vim.api.nvim_echo({
      { 'K on a link shows the memory · gd goes to it · ]d next finding · type [[ to complete · :qa leaves' },
    }, false, {})
  end,
})
