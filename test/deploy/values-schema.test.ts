import { readFile } from 'node:fs/promises';
import { Ajv } from 'ajv';
import { expect, it } from 'vitest';
import { secretVariables } from '../../src/config.ts';

type ValuesSchema = { properties: { config: object } };

const file = new URL('../../deploy/chart/values.schema.json', import.meta.url);
const { properties } = JSON.parse(await readFile(file, 'utf8')) as ValuesSchema;
const isValid = new Ajv().compile(properties.config);

it('accepts settings, as text, number or boolean', () => {
  expect(isValid({ AUDIT_RETENTION: 30, CODEHOST_THROTTLE: false, HOST: '::' })).toBe(true);
});

// With another store, every pod would have data of its own; probes and volumes belong to the other settings.
it.each(['DATA_DIR', 'PORT', 'STORE', ...secretVariables])('rejects %s in config', (name) => {
  expect(isValid({ [name]: 'text' })).toBe(false);
});
