import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

// Usage: lint-openapi.mjs <folder with node_modules> <document>. Prints the findings as a JSON array of texts.
const [folder, file] = process.argv.slice(2);
const load = createRequire(`${folder}/package.json`);
const source = readFileSync(file, 'utf8');

/** Every rule of Spectral for OpenAPI. */
async function lintWithSpectral() {
  const { Spectral } = load('@stoplight/spectral-core');
  const { oas } = load('@stoplight/spectral-rulesets');
  const spectral = new Spectral();
  spectral.setRuleset({ extends: [[oas, 'all']] });
  const findings = await spectral.run(JSON.parse(source));
  return findings.map(({ code, path, message }) => `${code} at ${path.join('.')}: ${message}`);
}

/** The rules that Redocly recommends, of which none may warn. */
async function lintWithRedocly() {
  const { createConfig, lintFromString } = await import(pathToFileURL(load.resolve('@redocly/openapi-core')).href);
  const config = await createConfig({ extends: ['recommended-strict'] });
  const findings = await lintFromString({ source, config });
  return findings.map(({ ruleId, location, message }) => `${ruleId} at ${location[0]?.pointer}: ${message}`);
}

process.stdout.write(JSON.stringify([...(await lintWithSpectral()), ...(await lintWithRedocly())]));
