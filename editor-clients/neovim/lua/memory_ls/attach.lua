-- What Neovim does not do by itself with a server: code lenses and inlay hints are asked for and shown, the server
-- hears of further projects, and the references behind a code lens are listed.
local M = {}

-- Neovim 0.11 shows code lenses when it is told to. An edit takes those of its lines away, and what changes elsewhere
-- the server tells; a buffer that nobody saw meanwhile is looked at when it is entered.
local LENS_EVENTS = { 'BufEnter', 'InsertLeave', 'TextChanged' }
local keeps_lenses = vim.lsp.codelens.enable ~= nil -- as Neovim 0.12 does
local group = vim.api.nvim_create_augroup('memory_ls', {})

---@param option 'code_lens'|'inlay_hints'
---@return boolean whether the user wants it: vim.g.memory_ls = { code_lens = false } says no
local function is_wanted(option)
  return (vim.g.memory_ls or {})[option] ~= false
end

---@param buffer integer
local function show_lenses(buffer)
  if keeps_lenses then
    vim.lsp.codelens.enable(true, { bufnr = buffer })
    return
  end
  local function refresh()
    vim.lsp.codelens.refresh({ bufnr = buffer })
  end
  vim.api.nvim_clear_autocmds({ group = group, buffer = buffer })
  vim.api.nvim_create_autocmd(LENS_EVENTS, { group = group, buffer = buffer, callback = refresh })
  refresh()
end

---@return any the answer to a server that says that lenses have changed
local function refresh_lenses(_, _, context)
  for buffer in pairs(is_wanted('code_lens') and vim.lsp.get_client_by_id(context.client_id).attached_buffers or {}) do
    if #vim.fn.win_findbuf(buffer) > 0 then
      vim.lsp.codelens.refresh({ bufnr = buffer })
    end
  end
  return vim.NIL
end

-- What Neovim 0.11 itself neither says nor does.
M.capabilities = not keeps_lenses and { workspace = { codeLens = { refreshSupport = true } } } or nil
M.handlers = not keeps_lenses and { ['workspace/codeLens/refresh'] = refresh_lenses } or nil

vim.api.nvim_create_autocmd('LspAttach', {
  group = group,
  callback = function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if not client or client.name ~= 'memory_ls' then
      return
    end
    if is_wanted('code_lens') and client:supports_method('textDocument/codeLens') then
      show_lenses(event.buf)
    end
    if is_wanted('inlay_hints') and client:supports_method('textDocument/inlayHint') then
      vim.lsp.inlay_hint.enable(true, { bufnr = event.buf })
    end
  end,
})

vim.api.nvim_create_autocmd('LspDetach', {
  group = group,
  callback = function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if client and client.name == 'memory_ls' then
      vim.api.nvim_clear_autocmds({ group = group, buffer = event.buf })
    end
  end,
})

--- Tells a running server of one more workspace folder, where it takes news of these.
---@param client vim.lsp.Client
---@param folder string? an absolute path
function M.add_folder(client, folder)
  local takes_news =
    vim.tbl_get(client.server_capabilities or {}, 'workspace', 'workspaceFolders', 'changeNotifications')
  if not folder or not takes_news then
    return
  end
  local added = { uri = vim.uri_from_fname(folder), name = folder }
  client.workspace_folders = client.workspace_folders or {}
  for _, known in ipairs(client.workspace_folders) do
    if known.uri == added.uri then
      return
    end
  end
  table.insert(client.workspace_folders, added)
  client:notify('workspace/didChangeWorkspaceFolders', { event = { added = { added }, removed = {} } })
end

--- Runs a code lens that counts references: lists them as vim.lsp.buf.references() does.
---@param command lsp.Command its arguments are a URI, a position and the locations
---@param context { bufnr: integer, client_id: integer }
function M.show_references(command, context)
  local client = assert(vim.lsp.get_client_by_id(context.client_id))
  local items = vim.lsp.util.locations_to_items((command.arguments or {})[3] or {}, client.offset_encoding)
  if #items == 0 then
    vim.notify('No references found')
  else
    vim.fn.setqflist({}, ' ', {
      title = command.title or 'References',
      items = items,
      context = { method = 'textDocument/references', bufnr = context.bufnr },
    })
    vim.cmd('botright copen')
  end
  if not keeps_lenses then -- and takes one away that was run
    vim.lsp.codelens.refresh({ bufnr = context.bufnr })
  end
end

return M
