// Stands between VS Code and the real server and writes down what VS Code says: a line of JSON for each message, and
// one {"started": pid} for each start. usage: node proxy.mjs RECORD SERVER [ARGUMENTS…]
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';

const [record, command, ...args] = process.argv.slice(2);
const server = spawn(command, args, { stdio: ['pipe', 'inherit', 'inherit'] });
appendFileSync(record, JSON.stringify({ started: server.pid }) + '\n');
server.on('exit', (code) => process.exit(code ?? 1));

let rest = Buffer.alloc(0);
process.stdin.on('data', (data) => {
  server.stdin.write(data);
  rest = Buffer.concat([rest, data]);
  for (;;) {
    const head = rest.indexOf('\r\n\r\n');
    const length = head < 0 ? NaN : Number(/Content-Length: (\d+)/i.exec(rest.subarray(0, head).toString())[1]);
    if (!(rest.length >= head + 4 + length)) return;
    const body = rest.subarray(head + 4, head + 4 + length);
    appendFileSync(record, JSON.stringify(JSON.parse(body.toString())) + '\n');
    rest = rest.subarray(head + 4 + length);
  }
});
process.stdin.on('end', () => server.stdin.end());
