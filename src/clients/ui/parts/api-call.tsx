import table from './table.module.css';

/** The call of the API that reads what the page shows. */
export const ApiCall = ({ path, method = 'GET' }: { path: string; method?: string }) => (
  <section>
    <h2>By the API</h2>
    <pre className={table['command']}>
      {`curl ${method === 'GET' ? '' : `-X ${method} `}-H "Authorization: Bearer $TOKEN" ${location.origin}/api${path}`}
    </pre>
  </section>
);
