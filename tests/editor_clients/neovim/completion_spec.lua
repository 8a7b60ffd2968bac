-- Completion typed by hand: one of each kind is chosen in the popup menu of a Neovim that has a screen.
-- A Neovim that runs a script has no menu, so the script sends its keys to a second one.
local spec = dofile(vim.fs.joinpath(vim.fs.dirname(arg[0]), 'spec.lua'))
local equal, write, work = spec.equal, spec.write, spec.work

local memory = vim.fs.joinpath(work, 'memory')
write(vim.fs.joinpath(memory, 'MEMORY.md'), { '# Memory Index', '', '- [Tides](tide-table.md) — 水位' })
write(vim.fs.joinpath(memory, 'tide-table.md'), {
  '---', 'name: tide-table', 'description: 水位', 'metadata:', '  type: reference', '---', '',
  'At six.', '', '## When it is low', '', 'At noon.', '', '## When it is low', '', 'At night.',
})
write(vim.fs.joinpath(memory, 'quay map.md'), {
  '---', 'name: quay-map', 'description: where the ramps are', 'metadata:', '  type: user', '---', '', 'North.',
})
write(vim.fs.joinpath(memory, 'draft.md'), spec.memory('draft', 'x'))
write(vim.fs.joinpath(memory, 'feedback_new.md'), '')

local job = vim.fn.jobstart({ vim.v.progpath, '--embed', '--headless', '--clean' }, { rpc = true, cwd = memory })

local function lua(code, ...)
  return vim.rpcrequest(job, 'nvim_exec_lua', code, { ... })
end

local function type_keys(keys)
  vim.rpcrequest(job, 'nvim_input', keys)
end

vim.rpcrequest(job, 'nvim_ui_attach', 100, 30, { rgb = true })
lua([[
  vim.opt.runtimepath:prepend(...)
  vim.o.completeopt = 'menuone,noselect'
  vim.o.swapfile = false
  vim.lsp.enable('memory_ls')
  vim.api.nvim_create_autocmd('LspAttach', {
    callback = function(event)
      vim.lsp.completion.enable(true, event.data.client_id, event.buf, { autotrigger = true })
    end,
  })
]], arg[1])

local function open(file)
  type_keys('<Esc><Esc>')
  lua([[
    vim.cmd('silent edit! ' .. vim.fn.fnameescape(...))
    vim.bo.filetype = 'markdown'
  ]], file)
  spec.wait('the client attaches to ' .. file, function()
    return lua([[
      local client = vim.lsp.get_clients({ name = 'memory_ls', bufnr = 0 })[1]
      return client ~= nil and client.initialized
    ]])
  end)
end

open('MEMORY.md')
spec.wait('the directory is read', function()
  return lua([[
    local client = vim.lsp.get_clients({ name = 'memory_ls', bufnr = 0 })[1]
    local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
    local answer = client:request_sync('textDocument/hover', params, 5000, 0)
    return answer ~= nil and answer.result ~= nil and answer.result ~= vim.NIL
  ]])
end)

local function menu()
  return lua([[
    local info = vim.fn.complete_info({ 'items', 'pum_visible', 'selected' })
    return { info.pum_visible == 1, vim.tbl_map(function(item) return item.abbr end, info.items), info.selected }
  ]])
end

-- Types `keys`, chooses `label` from the menu, types `more`, and compares all lines from `first` on.
local function choose(title, keys, label, more, first, wanted)
  local number
  type_keys(keys)
  spec.wait(title .. ': the menu shows it', function()
    for at, shown in ipairs(menu()[2]) do
      if shown == label then
        number = at
      end
    end
    return number ~= nil
  end, menu)
  type_keys(('<C-n>'):rep(number))
  spec.wait(title .. ': it is selected', function()
    return menu()[3] == number - 1
  end, menu)
  type_keys('<C-y>')
  spec.wait(title .. ': the menu goes', function()
    return not menu()[1]
  end)
  -- Neovim asks for the rest of an item once it is chosen, and expands a snippet only then.
  vim.wait(500)
  for _, piece in ipairs(more) do
    type_keys(piece)
    vim.wait(100)
  end
  equal(lua('return vim.api.nvim_buf_get_lines(0, ..., -1, false)', first), wanted, title)
end

local last = #spec.memory('draft', 'x')
local function in_draft(title, keys, label, more, wanted)
  open('draft.md')
  choose(title, 'Go' .. keys, label, more, last, { wanted })
end
in_draft('a name', '漢 [[', 'tide-table', { ' end' }, '漢 [[tide-table]] end')
in_draft('a name before brackets', 'x [[]]<Left><Left><C-x><C-o>', 'tide-table', { '|a label' }, 'x [[tide-table|a label]]')
in_draft('a path', '😀 [t](', 'quay map.md', { ' end' }, '😀 [t](quay%20map.md) end')
in_draft('a path before a bracket', '[t]()<Left><C-x><C-o>', 'tide-table.md', { '#' }, '[t](tide-table.md#)')
in_draft('a path in angles', '[t](<lt><C-x><C-o>', 'quay map.md', { ' end' }, '[t](<quay map.md>) end')
in_draft('a heading', '[[tide-table#', 'When it is low', { ' end' }, '[[tide-table#When it is low]] end')
in_draft('a heading of the same words', '[[tide-table#', 'when-it-is-low-1', { ' end' }, '[[tide-table#when-it-is-low-1]] end')
in_draft('a heading in a path', '[t](tide-table.md#', 'when-it-is-low', { ' end' }, '[t](tide-table.md#when-it-is-low) end')

open('MEMORY.md')
choose('an entry', 'Go- [', 'quay-map', { ', all' }, 3, { '- [quay-map](quay%20map.md) — where the ramps are, all' })

open('feedback_new.md')
local today = os.date('%Y-%m-%d')
choose(
  'a new memory', 'i-', 'New feedback memory', { 'No mocks', '<Tab>', 'Use the real thing.', '<Tab>', 'It broke.', '<Tab>', 'Always.' }, 0,
  {
    '---', 'name: new', 'description: No mocks', 'metadata:', '  type: feedback', '---', '',
    'Use the real thing.', '', '**Why:** It broke.', '', '**How to apply:** Always.', '',
  }
)

open('feedback_new.md')
lua([[vim.api.nvim_buf_set_lines(0, 0, -1, false, { '---', 'name: new', '', '---', '', 'x' })]])
choose('a key', '2Go<C-x><C-o>', 'metadata', { 'us<C-x><C-o>' }, 2, { 'metadata:', '  type: us', '', '---', '', 'x' })
lua([[vim.api.nvim_buf_set_lines(0, 0, -1, false, { '---', 'name: new', 'created', '---', '', 'x' })]])
choose('a date', '<Esc>3GA:', today, { ' ' }, 2, { 'created: ' .. today .. ' ', '---', '', 'x' })

vim.fn.jobstop(job)
spec.finish()
