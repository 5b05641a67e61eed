import { type ReactNode, StrictMode, useEffect } from 'react';
import { createRoot } from 'react-dom/client';
import { Add } from './add.tsx';
import { Curate } from './curate.tsx';
import { Explore } from './explore.tsx';
import { Review } from './review.tsx';
import { addressOf, type Route, useRoute, VIEWS, type View } from './route.ts';
import { Search } from './search.tsx';
import { Settings } from './settings.tsx';
import { Start } from './start.tsx';
import { Watch } from './watch.tsx';

const NAMES: Readonly<Record<View, string>> = {
  watch: 'Crawl',
  review: 'Review',
  search: 'Search',
  explore: 'Explore',
  curate: 'Portal',
  settings: 'Settings',
};

function Studio(): ReactNode {
  const route = useRoute();
  const title = route.kind === 'workspace' ? `${NAMES[route.view]} – ${route.name}` : 'Bingo studio';
  useEffect(() => {
    document.title = title;
  }, [title]);
  return (
    <>
      <button type="button" className="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to content
      </button>
      <header>
        <a href="#/" className="home">
          Bingo
        </a>
        {route.kind === 'workspace' ? <Navigation {...route} /> : null}
      </header>
      <main id="main" tabIndex={-1}>
        {content(route)}
      </main>
    </>
  );
}

function Navigation({ name, view }: { readonly name: string; readonly view: View }): ReactNode {
  return (
    <nav aria-label={name}>
      <strong>{name}</strong>
      <ul>
        {VIEWS.map((one) => (
          <li key={one}>
            <a href={addressOf(name, one)} aria-current={one === view ? 'page' : undefined}>
              {NAMES[one]}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function content(route: Route): ReactNode {
  if (route.kind === 'start') return <Start />;
  if (route.kind === 'add') return <Add key={route.url} url={route.url} />;
  const { name, view, asked } = route;
  switch (view) {
    case 'watch':
      return <Watch key={name} name={name} />;
    case 'review':
      return <Review key={name} name={name} />;
    case 'search':
      return <Search key={name} {...{ name, asked }} />;
    case 'explore':
      return <Explore key={name} {...{ name, asked }} />;
    case 'curate':
      return <Curate key={name} name={name} />;
    case 'settings':
      return <Settings key={name} name={name} />;
  }
}

const place = document.getElementById('studio');
if (place !== null)
  createRoot(place).render(
    <StrictMode>
      <Studio />
    </StrictMode>,
  );
