-- The user of the specs: what they are told and offered, what they choose and type, and what is in their files.
local spec = dofile(vim.fs.joinpath(vim.fs.dirname(arg[0]), 'spec.lua'))
local M = { spec = spec, said = {}, offered = {}, choices = {}, inputs = {} }

vim.notify = function(text, level)
  table.insert(M.said, { text, level })
end

-- Chooses the first that holds the next of M.choices; without one, none.
vim.ui.select = function(items, options, on_choice)
  local shown = vim.tbl_map(options.format_item or tostring, items)
  table.insert(M.offered, { prompt = options.prompt, items = shown })
  local wanted = table.remove(M.choices, 1)
  for number, text in ipairs(shown) do
    if wanted and text:find(wanted, 1, true) then
      return on_choice(items[number], number)
    end
  end
  on_choice(nil)
end

vim.ui.input = function(_, on_input)
  on_input(table.remove(M.inputs, 1))
end

-- What was said and offered so far does not count from here on.
function M.forget()
  spec.equal({ M.choices, M.inputs }, { {}, {} }, 'all that the user would have answered was asked')
  for _, list in ipairs({ M.said, M.offered }) do
    while #list > 0 do
      table.remove(list)
    end
  end
end

function M.hears(text, level)
  spec.wait(('the user is told: %s'):format(text), function()
    local last = M.said[#M.said]
    return last and last[1]:find(text, 1, true) ~= nil
  end, function()
    return { said = M.said, offered = M.offered }
  end)
  if level then
    spec.equal(M.said[#M.said][2], level, 'as loudly as is due')
  end
end

function M.memory(command)
  vim.cmd('Memory ' .. command)
end

function M.press(keys)
  vim.api.nvim_feedkeys(vim.keycode(keys), 'xt', false)
end

function M.lines(buffer)
  return table.concat(vim.api.nvim_buf_get_lines(buffer or 0, 0, -1, false), '\n')
end

-- Waits until the current buffer holds all of these, in this order.
function M.sees(...)
  local parts = { ... }
  spec.wait(('the user sees: %s'):format(table.concat(parts, ' | ')), function()
    local text, from = M.lines(), 1
    for _, part in ipairs(parts) do
      local at = text:find(part, from, true)
      if not at then
        return false
      end
      from = at + #part
    end
    return true
  end, function()
    return { seen = M.lines(), said = M.said, offered = M.offered }
  end)
end

-- Waits until the list of a review is the current window.
function M.reviews(...)
  spec.wait('a tab shows the plan', function()
    return vim.fn.tabpagenr('$') == 2 and vim.bo.filetype == 'memory-ls-review'
  end, function()
    return { said = M.said, offered = M.offered }
  end)
  M.sees(...)
end

-- The files of a directory, with what they hold.
function M.files(directory)
  local held = {}
  for name in vim.fs.dir(directory) do
    held[name] = assert(io.open(vim.fs.joinpath(directory, name), 'rb')):read('*a')
  end
  return held
end

-- A plain transcript, in which the user says this and the agent agrees.
function M.transcript(said)
  local lines = {}
  for _, sentence in ipairs(said) do
    vim.list_extend(lines, { 'User: ' .. sentence, '', 'Assistant: I see, and go on.', '' })
  end
  return lines
end

-- A project with two memories, in which Neovim stands, and no server.
function M.begin()
  vim.env.ANTHROPIC_API_KEY, vim.env.ANTHROPIC_AUTH_TOKEN = nil, nil
  vim.cmd.runtime('plugin/memory_ls.lua') -- with -l none is
  vim.lsp.config('memory_ls', { settings = { memoryLs = { provider = 'offline' } } })
  vim.lsp.enable('memory_ls')
  local project = vim.fs.joinpath(spec.work, 'project')
  M.directory = vim.fs.joinpath(project, '.claude', 'memory')
  spec.write(vim.fs.joinpath(project, '.git', 'HEAD'), '')
  local index = { '# Index', '', '- [Quay](quay.md) — 潮位', '- [Tide](tide.md)' }
  spec.write(vim.fs.joinpath(M.directory, 'MEMORY.md'), index)
  spec.write(vim.fs.joinpath(M.directory, 'quay.md'), spec.memory('quay', 'The quay is open until nine.'))
  spec.write(vim.fs.joinpath(M.directory, 'tide.md'), spec.memory('tide', 'See [[quay]].'))
  vim.cmd.cd(vim.fn.fnameescape(project))
  return M.directory
end

return M
