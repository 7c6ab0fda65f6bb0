import type { AuditParameter } from './entry.ts';
import { flatten, isSecretName, shorten, toShownText, type Scalar } from './flatten.ts';

const parametersMax = 100;

/** Parameters of sign-ins and of redirects of the code host that let their holder in. */
const oneTimeCode = /^(code|state|user_code|device_code|ticket)$/;

type Request = { path: Record<string, unknown>; query: Record<string, unknown>; body: unknown };

/** Describes the parameters of a request without secrets. */
export function describeParameters({ path, query, body }: Request): {
  parameters: AuditParameter[];
  omittedParameters?: number;
} {
  const all = [...flatten(path, 'path'), ...flatten(query, 'query'), ...flatten(body, 'body')]
    // Without parameters, the whole part is an empty object.
    .filter(({ field }) => field.includes('.') || field.includes('['));
  const parameters = all
    .slice(0, parametersMax)
    .map(({ field, name, value }) => ({ name: shorten(field, 300), value: toShownValue(name, value) }));
  const omitted = all.length - parameters.length;
  return { parameters, ...(omitted > 0 && { omittedParameters: omitted }) };
}

function toShownValue(name: string, value: Scalar): Scalar {
  if (typeof value !== 'string') return value;
  if (isSecretName(name) || oneTimeCode.test(name)) return '[secret]';
  return toShownText(name, value);
}
