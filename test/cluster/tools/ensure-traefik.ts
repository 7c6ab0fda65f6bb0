import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type GoBuildContext, runGo } from '../../../src/main/tools/install/run-go.ts';
import { makeOnce } from '../../../src/main/tools/install/make-once.ts';
import type { Tool, ToolSearch } from '../../../src/main/tools/tool.ts';
import { copyModuleSources, runGoCommand } from './build-go-module.ts';

const VERSION = '3.6.12';
const sources = { module: 'github.com/traefik/traefik/v3', version: VERSION, keepFolders: ['.'] };
const acmeSources = { module: 'github.com/go-acme/lego/v4', version: '4.33.0', keepFolders: ['.'] };

/** Takes the place of a hundred DNS providers, which are most of the sources and which no test uses. */
const noDnsProviders = `package dns

import (
	"errors"

	"github.com/go-acme/lego/v4/challenge"
)

func NewDNSChallengeProviderByName(name string) (challenge.Provider, error) {
	return nil, errors.New("unrecognized DNS provider: " + name)
}
`;

/** Returns the program of Traefik, an Ingress controller. */
export async function ensureTraefik(search: ToolSearch): Promise<Tool> {
  return await makeOnce(join(search.cacheDir, `traefik-${VERSION}`), search.onProgress, (workDir) =>
    buildTraefik({ ...search, workDir }),
  );
}

/** Builds Traefik in a copy of its sources, because it needs the exact dependencies of its own go.mod. */
async function buildTraefik(context: GoBuildContext): Promise<Tool> {
  const copied = await copyModuleSources(sources, context);
  const acme = await copyModuleSources(acmeSources, { ...context, workDir: join(context.workDir, 'acme') });
  if ('missing' in copied) return copied;
  if ('missing' in acme) return acme;
  await writeFile(join(acme.path, 'providers/dns/zz_gen_dns_providers.go'), noDnsProviders);
  const inCopy = { ...context, workDir: copied.path };
  await runGoCommand(['mod', 'edit', `-replace=${acmeSources.module}=${acme.path}`], inCopy);
  const program = join(context.workDir, 'traefik');
  const args = ['build', '-o', program, './cmd/traefik'];
  const failed = await runGo({ args, label: 'Traefik', expectedDuration: '3 to 5 minutes' }, inCopy);
  return failed ?? { path: program };
}
