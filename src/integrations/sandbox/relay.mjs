// The first process in a sandbox with a network: it starts the command and forwards a loopback port to the proxy of the
// service, whose socket is mounted. The sandbox has no other network, so the command can do without it but not around it.
import { spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';
import { constants } from 'node:os';
import { argv, env, exit, stderr } from 'node:process';

const [program, ...rest] = argv.slice(2);

const relay = createServer({ allowHalfOpen: true }, (client) => {
  const proxy = connect({ path: '/service/network/proxy.sock', allowHalfOpen: true });
  client.on('error', () => proxy.destroy()).once('close', () => proxy.destroy());
  proxy.on('error', () => client.destroy()).once('close', () => client.destroy());
  client.pipe(proxy).pipe(client);
});

relay.listen(0, '127.0.0.1', () => {
  const command = spawn(program, rest, { stdio: 'inherit', env: { ...proxySettings(), ...env } });
  command.once('error', (error) => {
    stderr.write(`${error.message}\n`);
    exit(127);
  });
  command.once('exit', (code, signal) => exit(code ?? 128 + constants.signals[signal]));
});

function proxySettings() {
  const url = `http://127.0.0.1:${relay.address().port}`;
  const direct = 'localhost,127.0.0.1,::1';
  return {
    HTTP_PROXY: url,
    HTTPS_PROXY: url,
    NO_PROXY: direct,
    http_proxy: url,
    https_proxy: url,
    no_proxy: direct,
    npm_config_proxy: url,
    npm_config_https_proxy: url,
    npm_config_noproxy: direct,
    NODE_USE_ENV_PROXY: '1',
    // A company proxy may sign connections with a certificate that only the system trusts.
    NODE_USE_SYSTEM_CA: '1',
  };
}
