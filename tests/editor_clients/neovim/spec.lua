-- What the specs of the client for Neovim share. Each runs in a Neovim of its own and drives the client as a user's
-- editor does:  nvim --clean --headless -l SOME_spec.lua CLIENT_FOLDER WORK_FOLDER      WORK_FOLDER is empty.
-- A spec ends with 'N passed, 0 failed' or exits 1.
local M = {}

local client_folder = assert(arg[1], 'usage: SOME_spec.lua CLIENT_FOLDER WORK_FOLDER')
M.work = assert(arg[2], 'usage: SOME_spec.lua CLIENT_FOLDER WORK_FOLDER')
vim.opt.runtimepath:prepend(client_folder)
vim.o.swapfile = false

local passed = 0

function M.ok(condition, name, detail)
  if not condition then
    io.stdout:write(('not ok - %s %s\n'):format(name, detail ~= nil and vim.inspect(detail) or ''))
    os.exit(1)
  end
  passed = passed + 1
  io.stdout:write(('ok %d - %s\n'):format(passed, name))
end

function M.equal(got, wanted, name)
  M.ok(vim.deep_equal(got, wanted), name, { got = got, wanted = wanted })
end

-- Waits until `condition` is true; `detail` tells of what is there instead.
function M.wait(name, condition, detail)
  local is_there = vim.wait(20000, condition, 20)
  M.ok(is_there, name, not is_there and detail and detail() or nil)
end

function M.write(path, text)
  vim.fn.mkdir(vim.fs.dirname(path), 'p')
  local file = assert(io.open(path, 'wb'))
  file:write(type(text) == 'table' and table.concat(text, '\n') .. '\n' or text)
  file:close()
end

-- As editors and agents write: a new file is put in the place of the old.
function M.write_atomically(path, text)
  M.write(path .. '.new', text)
  assert(vim.uv.fs_rename(path .. '.new', path))
end

function M.open(path)
  vim.cmd.edit(vim.fn.fnameescape(path))
  vim.bo.filetype = 'markdown' -- with -l no filetype is found; setting it fires the event that starts clients
  return vim.api.nvim_get_current_buf()
end

function M.clients(buffer)
  return vim.lsp.get_clients({ bufnr = buffer, name = 'memory_ls' })
end

-- Opens a memory and waits for the server.
---@return integer buffer, vim.lsp.Client client
function M.open_memory(path)
  local buffer = M.open(path)
  M.wait('the client attaches to ' .. vim.fs.basename(path), function()
    local client = M.clients(buffer)[1]
    return client ~= nil and client.initialized
  end)
  return buffer, M.clients(buffer)[1]
end

function M.codes(buffer)
  local codes = vim.tbl_map(function(finding)
    return finding.code
  end, vim.diagnostic.get(buffer))
  table.sort(codes)
  return codes
end

function M.wait_for_codes(buffer, codes, name)
  M.wait(name, function()
    return vim.deep_equal(M.codes(buffer), codes)
  end, function()
    return { got = M.codes(buffer), wanted = codes }
  end)
end

-- Puts the cursor on the first place of `text` in the current buffer.
function M.put_cursor(text, offset)
  for number, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
    local at = line:find(text, 1, true)
    if at then
      vim.api.nvim_win_set_cursor(0, { number, at - 1 + (offset or 0) })
      return
    end
  end
  M.ok(false, ('%s is in the buffer'):format(text))
end

-- The text of a memory.
function M.memory(name, body)
  return { '---', 'name: ' .. name, 'description: about ' .. name, 'type: project', '---', '', body or 'Text.' }
end

function M.finish()
  for _, client in ipairs(vim.lsp.get_clients()) do
    client:stop()
    M.wait('the server stops', function()
      return client:is_stopped()
    end)
  end
  io.stdout:write(('%d passed, 0 failed\n'):format(passed))
  os.exit(0)
end

return M
