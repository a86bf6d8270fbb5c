/** The page: shows which profiles it has. */

function start() {
	const app = document.getElementById('app');

	for (const element of document.querySelectorAll('script.profile')) {
		const line = document.createElement('p');

		line.textContent = `${element.dataset.name}: ${element.textContent.length} characters`;
		app.append(line);
	}
}

if (typeof document !== 'undefined')
	start();
