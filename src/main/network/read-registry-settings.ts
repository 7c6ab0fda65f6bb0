import { toBareHost, toPort } from '../../rules/network/url-destination.ts';
import { runProgram } from '../tools/run-program.ts';

/** The registry of this machine's npm, and the proxy that npm uses for it. */
export type RegistrySettings = { url: string; host: string; port: number; upstreamProxy: URL | undefined };

const publicRegistry = 'https://registry.npmjs.org/';
const silenceMs = 60_000;

/** Reads the settings of npm, which come from its files and from the environment. Without npm, the public registry is used. */
export async function readRegistrySettings(environment: NodeJS.ProcessEnv): Promise<RegistrySettings> {
  // In the root folder, npm finds no settings of a project.
  const { ok, output } = await runProgram('npm', ['config', 'list', '--json', '--loglevel=silent'], {
    env: environment,
    cwd: '/',
    silenceMs,
  });
  const text = ok ? output.slice(output.indexOf('{'), output.lastIndexOf('}') + 1) : '{}';
  const settings = JSON.parse(text) as Record<string, unknown>;
  const read = (name: string): string | undefined =>
    typeof settings[name] === 'string' && settings[name] !== '' ? settings[name] : undefined;
  const url = new URL(read('registry') ?? publicRegistry);
  const isSecure = url.protocol === 'https:';
  const proxyVariables = isSecure ? ['HTTPS_PROXY', 'https_proxy'] : ['HTTP_PROXY', 'http_proxy'];
  const proxy =
    (isSecure ? read('https-proxy') : undefined) ??
    read('proxy') ??
    proxyVariables.map((name) => environment[name]).find((value) => value);
  const exceptions = [settings['noproxy'], environment['NO_PROXY'], environment['no_proxy']].flat().join(',');
  return {
    url: url.href,
    host: toBareHost(url.hostname),
    port: toPort(url),
    upstreamProxy: proxy === undefined || isException(url.hostname, exceptions) ? undefined : new URL(proxy),
  };
}

function isException(host: string, exceptions: string): boolean {
  return exceptions.split(',').some((entry) => {
    const domain = entry
      .trim()
      .replace(/^\*?\./, '')
      .toLowerCase();
    return domain !== '' && (domain === '*' || host === domain || host.endsWith(`.${domain}`));
  });
}
