import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate, useRouterState } from '@tanstack/react-router';
import { useEffect } from 'react';
import { openApiQuery, type OpenApiDocument } from '../../api/queries/reference.ts';
import { useHeading } from '../../parts/page.tsx';
import { SearchInput } from '../../parts/search-input.tsx';
import { Brand } from '../../shell/brand.tsx';
import { listGroups, searchGroups, type Group } from './entries.ts';
import { OperationView } from './operation.tsx';
import { Prose } from './prose.tsx';
import { SchemaTree } from './schema.tsx';
import styles from './reference.module.css';

const route = getRouteApi('/api/docs');

/** The reference of the API of this very service: search, every operation, and a way to try each. */
export function ReferencePage() {
  const { q = '' } = route.useSearch();
  const navigate = useNavigate({ from: '/api/docs' });
  const hash = useRouterState({ select: ({ location }) => location.hash });
  const { data: document } = useSuspenseQuery(openApiQuery);
  const groups = listGroups(document);
  const found = searchGroups(groups, q);
  const entry = groups.flatMap(({ entries }) => entries).find(({ operation }) => operation.operationId === hash);
  const schemaName = hash.startsWith('schema-') ? hash.slice('schema-'.length) : undefined;
  const schema = schemaName === undefined ? undefined : document.components.schemas[schemaName];
  useEffect(() => {
    scrollTo(0, 0);
  }, [hash]);
  return (
    <div className={styles['page']}>
      <a className={styles['skip']} href="#main-content" onClick={focusMain}>
        Skip to content
      </a>
      <header className={styles['side']}>
        <p className={styles['brand']}>
          <Brand />
          <Link className="quiet" to="/">
            Delivery platform
          </Link>
        </p>
        <div className={styles['search']}>
          <SearchInput
            aria-label="Search operations"
            placeholder="Search operations"
            words={q}
            onSearch={(words, replace) => void navigate({ replace, hash, search: words === '' ? {} : { q: words } })}
          />
        </div>
        <Contents groups={found} />
      </header>
      <main id="main-content" tabIndex={-1} className={styles['main']}>
        {entry ? (
          <OperationView key={hash} entry={entry} document={document} />
        ) : schema && schemaName !== undefined ? (
          <>
            <Title text={schemaName} />
            <SchemaTree schema={schema} document={document} />
          </>
        ) : (
          <Overview document={document} groups={groups} />
        )}
      </main>
    </div>
  );
}

/** A fragment names an operation here, so the link must not change it. */
function focusMain(event: { preventDefault: () => void }): void {
  event.preventDefault();
  document.querySelector<HTMLElement>('#main-content')?.focus();
}

function Title({ text }: { text: string }) {
  const heading = useHeading(`${text} · API reference`);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {text}
    </h1>
  );
}

/** The fragment alone tells which operation is shown. */
const exactly = { includeHash: true, includeSearch: false };

const Contents = ({ groups }: { groups: Group[] }) => (
  <nav aria-label="Operations">
    <ul className={styles['groups']}>
      <li>
        <Link to="/api/docs" search={(previous) => previous} hash="" activeOptions={exactly}>
          Overview
        </Link>
      </li>
      {groups.map(({ name, entries }) => (
        <li key={name}>
          <h2>{name}</h2>
          <ul>
            {entries.map(({ method, operation: { operationId, summary } }) => (
              <li key={operationId}>
                <Link to="/api/docs" search={(previous) => previous} hash={operationId} activeOptions={exactly}>
                  <span className={styles['method']}>{method}</span>
                  {summary}
                </Link>
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ul>
    {groups.length === 0 && <p className="dim">No operation matches. Search by a name, a path or a word.</p>}
  </nav>
);

function Overview({ document, groups }: { document: OpenApiDocument; groups: Group[] }) {
  const { info, servers } = document;
  return (
    <>
      <Title text="API reference" />
      <p className="dim">
        {info.title} {info.version}, at <code>{servers[0]?.url}</code>
      </p>
      <Prose text={info.description} />
      <table className={styles['tags']}>
        <thead>
          <tr>
            <th scope="col">Operations</th>
            <th scope="col">About</th>
            <th scope="col">Number</th>
          </tr>
        </thead>
        <tbody>
          {groups.map(({ name, description, entries }) => (
            <tr key={name}>
              <th scope="row">
                <Link to="/api/docs" search={{ q: '' }} hash={entries[0]?.operation.operationId ?? ''}>
                  {name}
                </Link>
              </th>
              <td>{description}</td>
              <td>{entries.length}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>
        <a href="/api/openapi.json">openapi.json</a>, <a href="/api/openapi.yaml">openapi.yaml</a>,{' '}
        <a href="/api/docs/problems">all problems</a>, <a href="/api/docs/all">everything on one page</a>
      </p>
    </>
  );
}
