/** From `room` no value import into our rooms but into itself and what is named; type-only imports pass. */
const only = (room, ...allowed) => ({
  name: `${room} imports only what the map allows`,
  severity: 'error',
  from: { path: `^${room}/` },
  to: {
    path: '^(src|api|workflows|activities|test)/',
    pathNot: [`^${room}/`, ...allowed],
    dependencyTypesNot: ['type-only'],
  },
});

const never = (name, path, pathNot) => ({
  name,
  severity: 'error',
  from: pathNot ? { path: '^(src|api|workflows|activities)/', pathNot } : {},
  to: { path },
});

module.exports = {
  forbidden: [
    only('src/rules', '^src/errors[.]ts$'),
    only('src/store', '^src/(rules|errors)'),
    only('src/integrations', '^src/(rules|errors)'),
    only('workflows', '^src/rules'),
    only('activities', '^src/(errors|rules|store|integrations)'),
    only('api', '^src/(errors|rules|store|integrations)', '^workflows/(.+/messages|task-queues|search-attributes)[.]ts$'),
    only('src/local', '^src/store'),
    only('src/clients'),
    {
      name: 'integrations do not know each other',
      severity: 'error',
      from: { path: '^src/integrations/([^/]+)/' },
      to: { path: '^src/integrations/', pathNot: '^src/integrations/$1/', dependencyTypesNot: ['type-only'] },
    },
    never('nobody imports a program', '^src/main/', '^src/main/'),
    {
      name: 'workflows are free of Node and of schemas',
      severity: 'error',
      from: { path: '^workflows/' },
      to: { path: '^(node:|zod$|node_modules/zod)', dependencyTypesNot: ['type-only'] },
    },
    { name: 'no cycles', severity: 'error', from: { path: '^(src|api|workflows|activities)/' }, to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } } },
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(node_modules|src/local/sample)' },
    enhancedResolveOptions: { extensions: ['.ts', '.mts', '.mjs', '.js'] },
  },
};
