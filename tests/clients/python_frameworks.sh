#!/usr/bin/env bash
# SQLAlchemy and Django (Debian: python3-sqlalchemy, python3-django): a schema with its reflection,
# sessions, migrations, constraints, transactions and aggregates.
set -uo pipefail
source "$(dirname "$0")/client.sh"
python=/usr/bin/python3
"$python" -c 'import sqlalchemy, django' 2>/dev/null ||
  apt-get install -y -qq python3-sqlalchemy python3-django >/dev/null 2>&1 ||
  skip "no SQLAlchemy and Django here"
cat >"$work/alchemy.py" <<'PY'
from sqlalchemy import *
from sqlalchemy.orm import *
from sqlalchemy.exc import *
Base = declarative_base()
class User(Base):
    __tablename__ = "user"
    id = Column(Integer, primary_key=True); name = Column(String(30), nullable=False, unique=True); born = Column(Date)
    posts = relationship("Post", back_populates="user", cascade="all, delete-orphan")
class Post(Base):
    __tablename__ = "post"
    id = Column(Integer, primary_key=True); user_id = Column(ForeignKey("user.id")); text = Column(Text); score = Column(Numeric(10, 2)); extra = Column(JSON); __table_args__ = (CheckConstraint("score >= 0"), Index("ix", "user_id", "score"))
    user = relationship("User", back_populates="posts")
engine = create_engine("sqlite:///alchemy.db", future=True)
event.listen(engine, "connect", lambda c, r: c.execute("PRAGMA foreign_keys=ON"))
Base.metadata.create_all(engine)
import datetime, decimal, warnings; warnings.simplefilter("ignore")
with Session(engine) as s:
    for i in range(5):
        s.add(User(name="u%d" % i, born=datetime.date(2000, 1, i + 1), posts=[Post(text="p%d" % j, score=decimal.Decimal("1.25") * j, extra={"j": [j]}) for j in range(i)]))
    s.commit()
    print(s.execute(select(User.name, func.count(Post.id), func.sum(Post.score)).outerjoin(Post).group_by(User.id).order_by(User.name)).all())
    print(s.execute(select(Post.text).where(Post.extra["j"][0].as_integer() == 2).order_by(Post.id)).all())
    print(s.execute(select(User.name, func.row_number().over(order_by=User.born.desc()))).all())
    c = select(User.id, User.name).where(User.id == 1).cte(recursive=True); print(s.execute(select(c.c.name)).all())
    for bad in (User(name="u1"), Post(score=-1), Post(user_id=99), User()):
        s.add(bad)
        try: s.commit()
        except IntegrityError as e: print(type(e).__name__, e.orig); s.rollback()
    with s.begin_nested() as n:
        s.execute(delete(Post)); n.rollback()
    print(s.scalar(select(func.count()).select_from(Post)))
    s.delete(s.get(User, 5)); s.commit(); print(s.scalar(select(func.count()).select_from(Post)))
    print(s.execute(insert(User).returning(User.id, User.name), [{"name": "r1"}]).all()) if engine.dialect.insert_returning else None
    print(s.execute(update(Post).where(Post.score > 1).values(score=0)).rowcount)
i = inspect(engine)
for t in i.get_table_names(): print(t, [(c["name"], str(c["type"]), c["nullable"]) for c in i.get_columns(t)], i.get_pk_constraint(t), i.get_foreign_keys(t), i.get_indexes(t), i.get_unique_constraints(t), i.get_check_constraints(t))
from sqlalchemy.dialects.sqlite import insert as upsert
with engine.begin() as c: print(c.execute(upsert(User).values(name="u1").on_conflict_do_update(index_elements=["name"], set_={"born": datetime.date(1999, 9, 9)})).rowcount, c.execute(select(User.born).where(User.name == "u1")).all())
PY
cat >"$work/dj.py" <<'PY'
import django, os, sys, types
from django.conf import settings
settings.configure(DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "dj.db"}}, INSTALLED_APPS=["app"], USE_TZ=True, DEFAULT_AUTO_FIELD="django.db.models.BigAutoField")
os.makedirs("app", exist_ok=True); open("app/__init__.py", "w").close(); sys.path.insert(0, os.getcwd())
open("app/models.py", "w").write('''
from django.db import models
class Author(models.Model):
    name = models.CharField(max_length=50, unique=True); born = models.DateField(null=True); active = models.BooleanField(default=True); data = models.JSONField(default=dict)
class Book(models.Model):
    author = models.ForeignKey(Author, on_delete=models.CASCADE, related_name="books"); title = models.TextField(); price = models.DecimalField(max_digits=8, decimal_places=2); at = models.DateTimeField(null=True); tags = models.ManyToManyField("Tag")
    class Meta:
        constraints = [models.CheckConstraint(check=models.Q(price__gte=0), name="positive"), models.UniqueConstraint(fields=["author", "title"], name="once")]
        indexes = [models.Index(fields=["price"])]
class Tag(models.Model):
    name = models.SlugField()
''')
django.setup()
from django.core.management import call_command
from django.db import connection, models, transaction, IntegrityError; from django.db.models import *; from django.db.models.functions import *
import datetime, decimal
call_command("makemigrations", "app", verbosity=0); call_command("migrate", verbosity=0)
from app.models import *
UTC = datetime.timezone.utc
tags = [Tag.objects.create(name="t%d" % i) for i in range(3)]
for i in range(6):
    a = Author.objects.create(name="a%d" % i, born=datetime.date(1990 + i, 1, 31), data={"n": i, "l": [i]})
    for j in range(i):
        b = Book.objects.create(author=a, title="b%d" % j, price=decimal.Decimal("1.10") * j, at=datetime.datetime(2020, j + 1, 5, 12, 30, tzinfo=UTC)); b.tags.add(*tags[: j % 3])
print(list(Author.objects.annotate(n=Count("books"), s=Sum("books__price"), m=Max("books__at")).values_list("name", "n", "s", "m").order_by("name")))
print(list(Book.objects.filter(at__month=2, author__born__year__gt=1991).values_list("author__name", "title").order_by("id")))
print(list(Book.objects.annotate(d=TruncMonth("at")).values("d").annotate(n=Count("id")).order_by("d").values_list("d", "n")))
print(list(Author.objects.filter(data__l__0__gt=2).values_list("name", flat=True)), Author.objects.filter(name__iregex="^A[0-2]$").count(), Author.objects.filter(name__icontains="A").count())
print(Book.objects.aggregate(Avg("price"), StdDev("price"), Variance("price")))
print(list(Book.objects.annotate(r=Window(RowNumber(), partition_by=["author"], order_by=F("price").desc())).values_list("id", "r").order_by("id")[:5]))
for make in (lambda: Author.objects.create(name="a1"), lambda: Book.objects.create(author_id=2, title="x", price=-1), lambda: Book.objects.create(author_id=3, title="b0", price=1)):
    try:
        with transaction.atomic(): make()
    except IntegrityError as e: print(type(e).__name__, e)
try:
    with transaction.atomic(): Book.objects.create(author_id=99, title="x", price=1)
except IntegrityError as e: print(type(e).__name__, e)
with transaction.atomic():
    Author.objects.filter(name="a5").delete()
    try:
        with transaction.atomic(): Author.objects.all().delete(); raise ValueError
    except ValueError: pass
print(Author.objects.count(), Book.objects.count(), Book.objects.filter(price__gt=1).update(price=F("price") + 1))
print(len(Author.objects.bulk_create([Author(name="x"), Author(name="a1", active=False)], ignore_conflicts=True)), Author.objects.get(name="a1").active)
with connection.schema_editor() as e:
    f = models.IntegerField(default=7); f.set_attributes_from_name("extra"); e.add_field(Author, f)
with connection.cursor() as c: c.execute("SELECT name, extra FROM app_author ORDER BY id LIMIT 2"); print(c.fetchall(), [x[0] for x in c.description])
print(sorted(connection.introspection.table_names()), [r.name for r in connection.introspection.get_table_description(connection.cursor(), "app_book")], sorted(connection.introspection.get_constraints(connection.cursor(), "app_book"))[:3].__len__())
call_command("dumpdata", "app", output="dump.json", verbosity=0); call_command("flush", verbosity=0, interactive=False); print(Author.objects.count()); 
connection.check_constraints()
PY
same_program "$python" "$work/alchemy.py"
same_program "$python" "$work/dj.py"
finish
