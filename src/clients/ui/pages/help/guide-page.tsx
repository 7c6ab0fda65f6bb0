import { getRouteApi, Link } from '@tanstack/react-router';
import { Columns, PageHead } from '../../parts/page.tsx';
import MarkdownText from '../../parts/markdown.tsx';
import { guides } from './guide-list.ts';
import styles from './help.module.css';

const route = getRouteApi('/signed-in/help/$guide');

/** A guide, with the addresses of this installation in its commands. */
export function GuidePage() {
  const { title, about, text, name } = route.useLoaderData();
  return (
    <>
      <PageHead title={title}>{about}</PageHead>
      <Columns
        aside={
          <nav aria-label="Guides">
            <h2>Guides</h2>
            <ul className={styles['others']}>
              {guides.map((guide) => (
                <li key={guide.name}>
                  <Link
                    to="/help/$guide"
                    params={{ guide: guide.name }}
                    aria-current={guide.name === name ? 'page' : undefined}
                  >
                    {guide.title}
                  </Link>
                </li>
              ))}
              <li>
                <Link to="/api/docs">API reference</Link>
              </li>
            </ul>
          </nav>
        }
      >
        <div className={styles['guide']}>
          <MarkdownText text={text.replaceAll('$URL', location.origin)} />
        </div>
      </Columns>
    </>
  );
}
