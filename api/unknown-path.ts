import type { NotFoundHandler } from 'hono';
import type { ApiDeps, ApiEnv, App } from './deps.ts';
import { answerProblem } from './problem.ts';

/** 405 where the path exists with another method, 404 where it does not. */
export function answerUnknownPath(app: App, { config }: ApiDeps): NotFoundHandler<ApiEnv> {
  let paths: { shape: RegExp; method: string }[] | undefined;
  return (c) => {
    paths ??= app.routes
      .filter(({ method, path }) => method !== 'ALL' && !path.endsWith('*'))
      .map(({ method, path }) => ({
        method,
        shape: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/:[^/]+/g, '[^/]+')}$`),
      }));
    const methods = paths.filter(({ shape }) => shape.test(c.req.path)).map(({ method }) => method);
    if (methods.length === 0)
      return answerProblem(c, config.publicUrl, {
        code: 'not-found',
        detail: `Nothing is at ${c.req.path}. The paths of this install are in ${config.publicUrl}/api/docs.`,
      });
    const allow = [...new Set([...methods, ...(methods.includes('GET') ? ['HEAD'] : [])])].toSorted().join(', ');
    const detail = `${c.req.path} cannot be called with ${c.req.method}, only with ${allow}.`;
    return answerProblem(c, config.publicUrl, { code: 'method-not-allowed', detail, headers: { Allow: allow } });
  };
}
